package op

import (
	"fmt"
	"strconv"
	"strings"

	"gort/graph"
)

// attr reads "name[: kind] = value"; ok is false where it refers to an attribute
// that has no value.
func (b *bodyBuilder) attr() (a graph.Attr, ok bool, err error) {
	name, err := b.expect('n', "attribute")
	if err != nil {
		return a, false, err
	}
	if b.accept(':') {
		if _, err := b.expect('n', "kind"); err != nil {
			return a, false, err
		}
	}
	if !b.accept('=') {
		return a, false, fmt.Errorf("attribute %q has no value", name.text)
	}
	if b.peek() == '(' {
		g, err := b.graphLiteral()
		if err != nil {
			return a, false, err
		}
		return graph.NewAttr(name.text, g), true, nil
	}
	var v any
	if b.accept('@') {
		ref, err := b.expect('n', "attribute")
		if err != nil {
			return a, false, err
		}
		if v = b.c.attrValue(ref.text); v == nil {
			return a, false, nil
		}
	} else if v, err = b.literal(); err != nil {
		return a, false, err
	}
	if f, isNumber := v.(number); isNumber {
		v = float32(f)
	}
	return graph.NewAttr(name.text, v), true, nil
}

// attrValue returns an attribute's value or default, nil when it has neither.
func (c *Context) attrValue(name string) any {
	if a, ok := c.Node.Attr(name); ok {
		return a.Value
	}
	if d := c.sig.Attr(name); d != nil {
		return d.Default
	}
	return nil
}

// literal reads a number, a string or a list of numbers.
func (b *bodyBuilder) literal() (any, error) {
	switch t := b.next(); t.kind {
	case 'd':
		return parseNumber(t.text)
	case 's':
		return strconv.Unquote(t.text)
	case '[':
		return b.numbers()
	default:
		return nil, fmt.Errorf("%q is no literal", t.String())
	}
}

func parseNumber(s string) (any, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, nil
	}
	if !strings.ContainsAny(s, ".eE") && !strings.Contains(s, "inf") {
		return nil, fmt.Errorf("%q is no literal", s)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is no literal", s)
	}
	return number(f), nil
}

// numbers reads the rest of a list, whose items may be attributes.
func (b *bodyBuilder) numbers() (any, error) {
	ints, floats := []int64{}, []float32(nil)
	if b.accept(']') {
		return ints, nil
	}
	err := b.list(']', func() error {
		var v any
		var err error
		if b.accept('@') {
			t, err := b.expect('n', "attribute")
			if err != nil {
				return err
			}
			v = b.c.attrValue(t.text)
		} else if v, err = b.literal(); err != nil {
			return err
		}
		switch v := v.(type) {
		case int64:
			ints = append(ints, v)
		case float32:
			floats = append(floats, v)
		case number:
			floats = append(floats, float32(v))
		default:
			return fmt.Errorf("list item %v is no number", v)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(floats) == 0:
		return ints, nil
	case len(ints) > 0:
		return nil, fmt.Errorf("list mixes ints %v and floats %v", ints, floats)
	}
	return floats, nil
}
