// Package conformance reads and runs test cases in the layout of ONNX's backend
// suite: a folder with model.onnx and test_data_set_N/{input,output}_I.pb, loose
// or inside zip files, and the light networks, whose model and output lie in
// another folder.
package conformance

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strings"
)

// Tolerances of the suite: |got-want| <= ATol + RTol*|want|.
const (
	DefaultRTol = 1e-3
	DefaultATol = 1e-7
)

// Case is one test case.
type Case struct {
	Group, Name string
	RTol, ATol  float64

	fsys  fs.FS
	model string   // path of the model
	sets  []string // folders with inputs and outputs
	light string   // path of the only output of a light network
}

// ID is the case's name within its suite, such as node/test_abs.
func (c *Case) ID() string { return c.Group + "/" + c.Name }

// Model hands the file with the case's model to f.
func (c *Case) Model(f func(fsys fs.FS, name string) error) error { return f(c.fsys, c.model) }

// Suite is a set of cases, and what has to be closed after use.
type Suite struct {
	Cases   []*Case
	closers []*zip.ReadCloser
}

// Close releases the zip files.
func (s *Suite) Close() error {
	var first error
	for _, z := range s.closers {
		if err := z.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Load finds the cases under paths: zip files, folders of cases, or a single
// case's folder. A case of a group named X-delta (such as node-head-delta)
// replaces the case of the same name in another group. Networks of the light
// group are found among all paths. The order is that of group and name.
func Load(paths ...string) (*Suite, error) {
	s := &Suite{}
	var roots []fs.FS
	for _, p := range paths {
		info, err := os.Stat(p)
		switch {
		case err != nil:
			s.Close()
			return nil, err
		case info.IsDir():
			roots = append(roots, os.DirFS(p))
		default:
			z, err := zip.OpenReader(p)
			if err != nil {
				s.Close()
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			s.closers = append(s.closers, z)
			roots = append(roots, z)
		}
	}
	byName := map[string]*Case{}
	lights := map[string]fs.FS{}
	var data []func() error
	for i, root := range roots {
		err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			dir, file := path.Split(p)
			dir = path.Clean(dir)
			switch {
			case file == "model.onnx":
				s.add(byName, &Case{fsys: root, model: p, RTol: DefaultRTol, ATol: DefaultATol}, dir, paths[i])
			case file == "data.json":
				data = append(data, func() error { return s.addLight(byName, lights, root, p, dir, paths[i]) })
			case strings.HasPrefix(file, "light_") && strings.HasSuffix(file, ".onnx"):
				lights[p] = root
			}
			return nil
		})
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("%s: %w", paths[i], err)
		}
	}
	for _, f := range data {
		if err := f(); err != nil {
			s.Close()
			return nil, err
		}
	}
	for _, c := range byName {
		s.Cases = append(s.Cases, c)
	}
	sort.Slice(s.Cases, func(i, j int) bool { return s.Cases[i].ID() < s.Cases[j].ID() })
	return s, nil
}

func (s *Suite) add(byName map[string]*Case, c *Case, dir, from string) {
	c.Name, c.Group = path.Base(dir), path.Base(path.Dir(dir))
	if dir == "." {
		c.Name = path.Base(from)
	}
	if c.Group == "." || c.Group == "/" {
		c.Group = strings.TrimSuffix(path.Base(from), ".zip")
	}
	entries, err := fs.ReadDir(c.fsys, dir)
	if err == nil {
		for _, e := range entries {
			if e.IsDir() && strings.HasPrefix(e.Name(), "test_data_set_") {
				c.sets = append(c.sets, path.Join(dir, e.Name()))
			}
		}
	}
	slices.Sort(c.sets)
	old, exists := byName[c.Name]
	if exists && (strings.HasSuffix(old.Group, "-delta") || !strings.HasSuffix(c.Group, "-delta")) && old.Group != c.Group {
		if strings.HasSuffix(old.Group, "-delta") {
			return
		}
		byName[c.ID()] = c
		return
	}
	byName[c.Name] = c
}

func (s *Suite) addLight(byName map[string]*Case, lights map[string]fs.FS, root fs.FS, file, dir, from string) error {
	raw, err := fs.ReadFile(root, file)
	if err != nil {
		return err
	}
	var info struct {
		RTol, ATol float64
		Name       string `json:"model_name"`
		URL        string `json:"url"`
	}
	if err := json.Unmarshal(raw, &info); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	c := &Case{RTol: info.RTol, ATol: info.ATol}
	for p, fsys := range lights {
		if path.Base(p) == path.Base(info.URL) {
			c.fsys, c.model = fsys, p
			c.light = strings.TrimSuffix(p, ".onnx") + "_output_0.pb"
		}
	}
	if c.model == "" {
		return fmt.Errorf("%s: the network %s is not among the given paths; add light.zip", file, path.Base(info.URL))
	}
	s.add(byName, c, dir, from)
	c.sets = nil
	return nil
}
