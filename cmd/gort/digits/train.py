#!/usr/bin/env python3
"""Trains the digit recogniser that `gort` embeds, and writes its model, its accuracy and its sample pictures.

    python3 cmd/gort/digits/train.py --out cmd/gort/digits

writes into the output folder

    digits.onnx      image float32 [N,1,28,28] -> probabilities float32 [N,10], opset 17
    accuracy.json    held-out accuracy, how it was measured, and the answer for every sample picture
    samples/*.png    held-out digits (digit-LABEL-LETTER.png) and digits drawn with a thick pen (drawn-LABEL.png)

The data is scikit-learn's bundled set of handwritten digits: 1797 pictures of 8x8 pixels by 13 writers. A stratified
fifth is held out, and training never sees it. All writers occur on both sides of the split, so the held-out accuracy
says little about the handwriting of strangers. Because 8x8 pixels know nothing of thin strokes and sharp corners,
training also gets digits made of pen strokes (PEN). The drawn digits of the test (STROKES) are of other shapes, but the
augmentation was chosen with an eye on them, so their score is a check and not an unbiased measure.

Needs PyTorch, scikit-learn, Pillow and NumPy. Training is on one thread, so that the same versions give the same model.

Preprocessing
=============

A picture of any size becomes the model's input by these steps, here (prepare) and in gort's Go code. All arithmetic
after step 2 is in floating point, and nothing is rounded to 8 bits on the way.

1. Decode. Lay a transparent picture over white: v = (a*v + (255 - a)*255) / 255 for each 8-bit channel, rounded to
   the nearest integer.
2. Grey. y = (19595*R + 38470*G + 7471*B + 32768) >> 16, an integer from 0 to 255.
3. Polarity. The border is every pixel of the first and last row and of the first and last column, each pixel once.
   `paper` is the border's median: sort its n values and take the one at index n/2 (integer division, from 0).
   With `darkest` and `brightest` the least and greatest y of the picture:
       if paper - darkest > brightest - paper    the ink is dark:    ink = paper - y
       else                                      the ink is light:   ink = y - paper
   `contrast` is the greatest ink. If contrast < 24 there is no digit in the picture: stop with an error.
4. Floor. ink = max(0, (ink/contrast - 0.15) / 0.85), so ink is from 0 to 1, and texture and shadow fainter than 15 %
   of the contrast vanish.
5. Crop to the smallest rectangle that holds every pixel with ink > 0. Call its size w x h.
6. Scale the longer side to 20 pixels and keep the aspect: with side = max(w, h), the new size is
   max(1, floor(20*w/side + 0.5)) x max(1, floor(20*h/side + 0.5)). Each axis by itself, first the columns (width), then
   the rows (height), through a triangle filter with half-pixel centres. To take `from` values to `to` values:
       scale   = from / to
       support = max(1, scale)                       (1: plain bilinear; more: widened, which averages when shrinking)
       centre  = (i + 0.5) * scale                                                        for the output i
       weight(i, j) = max(0, 1 - abs(j + 0.5 - centre) / support)                         for every input j
       output[i] = sum_j weight(i, j) * input[j] / sum_j weight(i, j)
   There is no padding: weights that would fall outside are left out, and the division makes up for them.
7. Normalise. Divide by the greatest value, so that the darkest ink is 1.
8. Centre the rectangle in 28x28 zeros: left = (28 - w) / 2, top = (28 - h) / 2, integer division, with the new size.

The result, row by row, is image[0,0,:,:]: 0 is paper, 1 is ink.
"""
import argparse
import json
import os

os.environ["OMP_NUM_THREADS"] = "1"  # read on import; more threads sum in another order and so train another model

import numpy as np
import PIL
import sklearn
import torch
from PIL import Image, ImageDraw
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn import functional as F

SEED = 20
EPOCHS = 80
BATCH = 96

SIDE = 28  # the model's input is SIDE x SIDE
BOX = 20  # the ink's longer side in it
FLOOR = 0.15  # fainter ink than this share of the contrast is paper
MIN_CONTRAST = 24  # of 255; below it a picture holds no digit


# --- preprocessing: the steps above ---------------------------------------------------------------------------------


def grey(picture):
    """Steps 1 and 2: a PIL image to an array of integers from 0 (black) to 255 (white)."""
    rgba = np.asarray(picture.convert("RGBA"), dtype=np.int64)
    alpha = rgba[..., 3:]
    r, g, b = np.moveaxis((alpha * rgba[..., :3] + (255 - alpha) * 255 + 127) // 255, -1, 0)
    return (19595 * r + 38470 * g + 7471 * b + 32768) >> 16


def triangle_weights(size, new_size):
    """The matrix [new_size, size] that scales one axis (step 6)."""
    scale = size / new_size
    centres = (np.arange(new_size) + 0.5) * scale
    distances = np.abs(np.arange(size) + 0.5 - centres[:, None])
    weights = np.maximum(0, 1 - distances / max(1, scale))
    return weights / weights.sum(axis=1, keepdims=True)


def prepare(y):
    """Steps 3 to 8: a grey picture to the model's input, float32 [SIDE, SIDE]."""
    border = np.sort(np.concatenate([y[0], y[-1], y[1:-1, 0], y[1:-1, -1]]))
    paper = border[len(border) // 2]
    ink = paper - y if paper - y.min() > y.max() - paper else y - paper
    contrast = ink.max()
    if contrast < MIN_CONTRAST:
        raise ValueError("no digit in the picture: it is of one colour")
    ink = np.maximum(0, (ink / contrast - FLOOR) / (1 - FLOOR))

    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    height, width = (max(1, int(BOX * n / max(ink.shape) + 0.5)) for n in ink.shape)
    ink = triangle_weights(ink.shape[0], height) @ (ink @ triangle_weights(ink.shape[1], width).T)
    ink /= ink.max()

    image = np.zeros((SIDE, SIDE), np.float32)
    top, left = (SIDE - height) // 2, (SIDE - width) // 2
    image[top : top + height, left : left + width] = ink
    return image


def prepare_all(pictures):
    """A batch of the model's inputs, [N, 1, SIDE, SIDE], from grey pictures."""
    return torch.from_numpy(np.stack([prepare(y) for y in pictures])[:, None])


# --- training data --------------------------------------------------------------------------------------------------


def to_bytes(ink):
    """Light ink on black, 0 to 1, as a grey picture's integers."""
    return np.rint(np.clip(ink, 0, 1) * 255).astype(np.int64)


def between(low, high, *shape):
    return low + (high - low) * torch.rand(*shape)


def redraw(digits, side=56):
    """Draws 8x8 digits anew as pictures of side x side pixels, each as another hand with another pen might have.

    Bends the digit (scale, slant, rotation, shift and a smooth random field), then takes the grey levels as a height
    map and cuts it at a random level, which makes the stroke thinner or thicker, with a random sharpness of its edge.
    """
    n = len(digits)
    paper = F.pad(digits[:, None], (3, 3, 3, 3))  # room for the bent digit

    angle, slant = between(-0.25, 0.25, n), between(-0.25, 0.25, n)
    wide, high = between(0.8, 1.35, n), between(0.85, 1.15, n)
    turn = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], 1).view(n, 2, 2)
    shape = torch.stack([wide, slant, torch.zeros(n), high], 1).view(n, 2, 2)
    affine = torch.cat([turn @ shape, between(-0.06, 0.06, n, 2, 1)], dim=2)
    grid = F.affine_grid(affine, [n, 1, side, side], align_corners=False)
    field = F.interpolate(between(-0.08, 0.08, n, 2, 4, 4), size=(side, side), mode="bicubic", align_corners=True)
    ink = F.grid_sample(paper, grid + field.permute(0, 2, 3, 1), mode="bicubic", align_corners=False)

    level, softness = between(0.3, 0.65, n, 1, 1, 1), between(0.02, 0.12, n, 1, 1, 1)
    ink = torch.sigmoid((ink - level) / softness)
    pen = torch.rand(n)
    thicker, thinner = F.max_pool2d(ink, 3, 1, 1), -F.max_pool2d(-ink, 3, 1, 1)
    ink = torch.where((pen < 0.25).view(n, 1, 1, 1), thicker, ink)
    ink = torch.where(((pen > 0.85) & (thinner.amax((1, 2, 3)) > 0.9)).view(n, 1, 1, 1), thinner, ink)
    blurred = torch.rand(n, 1, 1, 1) < 0.3
    ink = torch.where(blurred, F.avg_pool2d(ink, 3, 1, 1), ink)
    ink = ink + between(0, 0.06, n, 1, 1, 1) * torch.rand_like(ink)
    return to_bytes(ink[:, 0].numpy())


def arc(x, y, across, down, start, end, points=10):
    """A stroke along an ellipse; degrees clockwise from the right."""
    angles = np.radians(np.linspace(start, end, points))
    return list(zip(x + across * np.cos(angles), y + down * np.sin(angles)))


# Ways to write each digit, as strokes on paper of 100 x 100. Used for training only.
PEN = {
    0: [[arc(50, 50, 25, 38, -90, 270, 14)], [arc(50, 50, 34, 38, -60, 300, 14)]],
    1: [[[(50, 12), (50, 88)]], [[(36, 26), (52, 12), (52, 88)]], [[(28, 36), (54, 12), (54, 88)]],
        [[(36, 24), (52, 12), (52, 88)], [(32, 88), (72, 88)]]],
    2: [[arc(50, 34, 22, 22, 190, 400) + [(28, 88), (74, 88)]],
        [arc(50, 34, 22, 22, 200, 420) + [(26, 84), (40, 78), (58, 88), (74, 82)]]],
    3: [[arc(48, 32, 20, 18, 200, 450), arc(48, 69, 23, 19, 270, 520)],
        [[(30, 14), (68, 14), (46, 44)] + arc(46, 66, 24, 22, -90, 160)]],
    4: [[[(60, 90), (60, 12), (22, 64), (80, 64)]], [[(32, 14), (28, 54), (76, 54)], [(66, 20), (64, 90)]],
        [[(54, 12), (24, 66), (78, 66)], [(60, 46), (58, 90)]]],
    5: [[[(70, 14), (34, 14), (32, 46)] + arc(48, 64, 24, 24, 220, 500)],
        [[(40, 18), (34, 50)] + arc(46, 67, 24, 21, 240, 500), [(40, 18), (74, 14)]]],
    6: [[arc(60, 62, 32, 50, 270, 180, 6) + arc(50, 66, 22, 22, 180, 540)],
        [[(60, 12)] + arc(50, 67, 21, 21, 200, 560)]],
    7: [[[(26, 14), (74, 14), (44, 88)]], [[(26, 14), (74, 14), (46, 88)], [(38, 50), (70, 50)]],
        [[(26, 26), (27, 14), (74, 14), (54, 50), (48, 88)]]],
    8: [[arc(50, 31, 18, 18, 90, 450), arc(50, 68, 22, 19, -90, 270)],
        [arc(50, 31, 21, 19, 60, 420) + arc(50, 68, 21, 19, 240, 600)]],
    9: [[arc(50, 34, 22, 22, 0, -360) + [(70, 88)]], [arc(50, 34, 22, 22, 0, -360) + arc(42, 40, 30, 48, 0, 110, 6)],
        [arc(48, 34, 22, 21, 0, -360) + [(52, 88)]]],
}


def pen_segments(most=20):
    """All of PEN as line segments [M, most, 2 ends, 2], short ones repeating their last segment, and the labels."""
    shapes, labels = [], []
    for label, ways in PEN.items():
        for strokes in ways:
            segments = [pair for stroke in strokes for pair in zip(stroke, stroke[1:])]
            shapes.append(segments + segments[-1:] * (most - len(segments)))
            labels.append(label)
    return torch.tensor(shapes, dtype=torch.float32) / 50 - 1, torch.tensor(labels)


def write(n, side=40):
    """Writes n digits at random with pens of all widths; gives the pictures and the labels."""
    shapes, all_labels = pen_segments()
    digits = torch.randint(0, 10, (n,))
    chosen = torch.stack([torch.multinomial((all_labels == digit).float(), 1)[0] for digit in digits])

    angle, slant = between(-0.2, 0.2, n), between(-0.35, 0.15, n)
    wide, high = between(0.5, 1.05, n), between(0.75, 1, n)
    turn = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], 1).view(n, 2, 2)
    shape = torch.stack([wide, slant, torch.zeros(n), high], 1).view(n, 2, 2)
    points = shapes[chosen] @ (turn @ shape).transpose(1, 2)[:, None]
    for frequency in (2, 4):  # bend the paper
        phase = between(0, 6.28, n, 1, 1, 2)
        strength = between(-0.24, 0.24, n, 1, 1, 2) / frequency
        points = points + strength * torch.sin(frequency * points.flip(3) + phase)

    # The distance of every pixel from its nearest segment.
    start, along = points[:, None, :, 0], (points[:, :, 1] - points[:, :, 0])[:, None]
    axis = (torch.arange(side) + 0.5) / side * 2.8 - 1.4
    pixels = torch.stack(torch.meshgrid(axis, axis, indexing="xy"), -1).view(1, side * side, 1, 2)
    offset = pixels - start
    share = ((offset * along).sum(-1) / (along * along).sum(-1).clamp(min=1e-6)).clamp(0, 1)
    distance = (offset - share[..., None] * along).norm(dim=-1).amin(dim=2).view(n, side, side)
    ink = torch.sigmoid((between(0.03, 0.2, n, 1, 1) - distance) / between(0.01, 0.03, n, 1, 1))
    return to_bytes(ink.numpy()), digits


# --- the model ------------------------------------------------------------------------------------------------------


class Recogniser(nn.Module):
    """Three convolutions, each halving the picture, and two linear layers: 33 000 weights. Gives logits."""

    def __init__(self):
        super().__init__()

        def block(inputs, outputs):
            convolution = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
            return [convolution, nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2)]

        self.features = nn.Sequential(*block(1, 16), *block(16, 32), *block(32, 32), nn.Flatten())
        self.head = nn.Sequential(nn.Linear(32 * 3 * 3, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 10))

    def forward(self, image):
        return self.head(self.features(image))


def train(digits, labels):
    """Trains on each digit twice an epoch, redrawn and then as it is or redrawn, and on half as many of pen strokes."""
    model = Recogniser()
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.02)
    steps = EPOCHS * -(-len(digits) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=3e-3, total_steps=steps)
    plain = prepare_all(to_bytes(digits.numpy()))
    for epoch in range(EPOCHS):
        total = 0.0
        for some in torch.randperm(len(digits)).split(BATCH):
            first, second = prepare_all(redraw(digits[some])), prepare_all(redraw(digits[some]))
            second = torch.where(torch.rand(len(some), 1, 1, 1) < 0.5, plain[some], second)
            written, written_labels = write(len(some) // 2)
            logits = model(torch.cat([first, second, prepare_all(written)]))
            answers = torch.cat([labels[some], labels[some], written_labels])
            loss = F.cross_entropy(logits, answers, label_smoothing=0.05)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item() * len(some)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}/{EPOCHS}: loss {total / len(digits):.4f}", flush=True)
    return nn.Sequential(model, nn.Softmax(dim=1)).eval()


# --- pictures to try it with ----------------------------------------------------------------------------------------

# One way to write each digit, as pen strokes on paper of 100 x 100. Used for testing only.
STROKES = {
    0: [[(50, 16), (34, 24), (27, 50), (34, 76), (50, 85), (66, 76), (73, 50), (66, 24), (50, 16)]],
    1: [[(36, 32), (53, 15), (52, 85)]],
    2: [[(30, 32), (38, 18), (54, 14), (67, 24), (66, 40), (50, 60), (29, 84), (73, 82)]],
    3: [[(31, 22), (48, 14), (66, 22), (64, 38), (46, 48), (66, 56), (70, 72), (54, 86), (31, 80)]],
    4: [[(55, 14), (26, 62), (76, 60)], [(61, 40), (58, 88)]],
    5: [[(69, 16), (38, 16), (34, 44), (54, 42), (69, 54), (67, 74), (51, 85), (31, 79)]],
    6: [[(62, 14), (42, 32), (32, 60), (38, 80), (54, 85), (68, 75), (66, 59), (51, 52), (36, 60)]],
    7: [[(28, 18), (73, 16), (54, 48), (43, 86)]],
    8: [[(50, 48), (34, 36), (36, 20), (52, 14), (66, 23), (64, 37), (50, 48), (34, 60), (33, 76), (50, 86), (67, 77),
         (66, 60), (50, 48)]],
    9: [[(67, 34), (56, 46), (39, 44), (33, 29), (43, 16), (60, 16), (68, 32), (64, 60), (56, 86)]],
}


def draw(digit, side=200, pen=14):
    """A digit in thick dark strokes on white paper."""
    finer = 4
    picture = Image.new("L", (side * finer, side * finer), 255)
    canvas, radius = ImageDraw.Draw(picture), pen * finer / 2
    for stroke in STROKES[digit]:
        points = [(x * side * finer / 100, y * side * finer / 100) for x, y in stroke]
        canvas.line(points, fill=20, width=pen * finer)
        for x, y in points:
            canvas.ellipse((x - radius, y - radius, x + radius, y + radius), fill=20)
    return picture.resize((side, side), Image.BOX)


def enlarge(digit, side, dark_ink):
    """A digit of the data set as a smooth picture of side x side pixels with a margin."""
    picture = Image.fromarray(to_bytes(np.pad(digit, 1)).astype(np.uint8)).resize((side, side), Image.BICUBIC)
    return picture.point(lambda v: 255 - v) if dark_ink else picture


def sample_pictures(digits, labels):
    """The pictures for samples/, by file name: the first held-out digits of some labels, and two drawn ones."""
    pictures = {}
    for label, letter, side, dark_ink in [
        (0, "a", 48, True), (2, "a", 64, True), (3, "a", 28, False), (5, "a", 64, False),
        (7, "a", 64, True), (7, "b", 32, True), (8, "a", 56, True), (9, "a", 48, False),
    ]:
        index = np.flatnonzero(labels == label)["ab".index(letter)]
        pictures[f"digit-{label}-{letter}.png"] = enlarge(digits[index], side, dark_ink)
    for label in (4, 6):
        pictures[f"drawn-{label}.png"] = draw(label)
    return pictures


# --- accuracy -------------------------------------------------------------------------------------------------------


def probabilities(model, pictures):
    with torch.no_grad():
        return model(prepare_all(pictures)).numpy()


def score(model, pictures, labels):
    right = int((probabilities(model, pictures).argmax(axis=1) == labels).sum())
    return {"right": right, "of": len(labels), "accuracy": round(right / len(labels), 4)}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--out", required=True, help="folder to write digits.onnx, accuracy.json and samples/ into")
    out = arguments.parse_args().out
    os.makedirs(os.path.join(out, "samples"), exist_ok=True)

    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)

    data = load_digits()
    digits, labels = (data.images / 16).astype(np.float32), data.target
    digits, held_out, labels, held_out_labels = train_test_split(
        digits, labels, test_size=0.2, stratify=labels, random_state=SEED)
    model = train(torch.from_numpy(digits), torch.from_numpy(labels))

    torch.onnx.export(
        model, torch.zeros(1, 1, SIDE, SIDE), os.path.join(out, "digits.onnx"), opset_version=17,
        input_names=["image"], output_names=["probabilities"],
        dynamic_axes={"image": {0: "N"}, "probabilities": {0: "N"}})

    samples = []
    for name, picture in sample_pictures(held_out, held_out_labels).items():
        picture.save(os.path.join(out, "samples", name), optimize=True)
        answer = probabilities(model, [grey(picture)])[0]
        samples.append({"file": name, "label": int(name[6]), "predicted": int(answer.argmax()),
                        "probability": round(float(answer.max()), 5)})

    drawn = [grey(draw(digit, pen=pen)) for pen in (8, 14, 20) for digit in range(10)]
    enlarged = [grey(enlarge(digit, 64, True)) for digit in held_out]
    report = {
        "data": "scikit-learn load_digits",
        "seed": SEED,
        "training_images": len(labels),
        "held_out_images": len(held_out_labels),
        "held_out": score(model, to_bytes(held_out), held_out_labels),
        "held_out_enlarged_to_64_pixels": score(model, enlarged, held_out_labels),
        "held_out_redrawn_with_distortion": score(model, redraw(torch.from_numpy(held_out)), held_out_labels),
        "drawn_with_three_pens": score(model, drawn, np.tile(np.arange(10), 3)),
        "samples": samples,
        "versions": {"torch": torch.__version__, "sklearn": sklearn.__version__, "numpy": np.__version__,
                     "pillow": PIL.__version__},
    }
    with open(os.path.join(out, "accuracy.json"), "w") as file:
        json.dump(report, file, indent=2)
        file.write("\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
