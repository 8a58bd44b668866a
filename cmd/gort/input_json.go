package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gort"
	"gort/graph"
	"gort/tensor"
)

// namedFromJSON reads an object whose keys are names of inputs; nil when the data
// is one value: a list, a number, or an object with "data".
func namedFromJSON(data []byte, infos []gort.ValueInfo) (map[string]tensor.Value, error) {
	object, ok, err := jsonObject(data)
	if err != nil || !ok {
		return nil, err
	}
	if _, one := object["data"]; one && inputIndex(infos, "data") < 0 {
		return nil, nil
	}
	if len(infos) == 1 && infos[0].Type.Kind == tensor.KindMap && object[infos[0].Name] == nil {
		return nil, nil
	}
	values := make(map[string]tensor.Value, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		i := inputIndex(infos, name)
		if i < 0 {
			return nil, fmt.Errorf("%q is not an input of the model; it takes %s", name, inputNames(infos))
		}
		if values[name], err = valueFromJSON(object[name], infos[i].Type); err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
	}
	return values, nil
}

// jsonObject splits an object into its members; ok is false for other values.
func jsonObject(data []byte) (members map[string]json.RawMessage, ok bool, err error) {
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, false, nil
	}
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, false, fmt.Errorf("not valid JSON: %w", err)
	}
	return members, true, nil
}

// valueFromJSON reads a value of a declared type in the form that tensor.ToJSON
// writes; a map may also be an object of its keys.
func valueFromJSON(data []byte, want graph.Type) (tensor.Value, error) {
	switch want.Kind {
	case tensor.KindTensor:
		t, err := tensor.FromJSON(data, want.DType)
		if err != nil {
			return nil, err
		}
		return t, nil
	case tensor.KindSequence:
		return sequenceFromJSON(data, want)
	case tensor.KindOptional:
		if string(bytes.TrimSpace(data)) == "null" {
			return &tensor.Optional{Elem: elemType(want)}, nil
		}
		v, err := valueFromJSON(data, *want.Elem)
		return &tensor.Optional{Elem: elemType(want), Value: v}, err
	case tensor.KindMap:
		return mapFromJSON(data, want)
	}
	return nil, fmt.Errorf("%v is not read from JSON", want)
}

func sequenceFromJSON(data []byte, want graph.Type) (tensor.Value, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return nil, fmt.Errorf("%v is a list of its items: %w", want, err)
	}
	s := &tensor.Sequence{Elem: elemType(want)}
	for i, item := range items {
		v, err := valueFromJSON(item, *want.Elem)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		s.Items = append(s.Items, v)
	}
	return s, nil
}

// mapFromJSON reads {"keys": […], "values": …} or {"key": value, …}.
func mapFromJSON(data []byte, want graph.Type) (tensor.Value, error) {
	object, ok, err := jsonObject(data)
	if err != nil {
		return nil, err
	}
	if !ok || !want.Elem.IsTensor() {
		return nil, errors.New("a map is an object of its keys, its values being single elements")
	}
	keyData, valueData := object["keys"], object["values"]
	if len(object) != 2 || keyData == nil || valueData == nil {
		var keys, values []string
		for _, k := range slices.Sorted(maps.Keys(object)) {
			quoted := k
			if want.Key == tensor.String {
				text, err := json.Marshal(k)
				if err != nil {
					return nil, err
				}
				quoted = string(text)
			}
			keys, values = append(keys, quoted), append(values, string(object[k]))
		}
		keyData = json.RawMessage("[" + strings.Join(keys, ",") + "]")
		valueData = json.RawMessage("[" + strings.Join(values, ",") + "]")
	}
	keys, err := tensor.FromJSON(keyData, want.Key)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	values, err := tensor.FromJSON(valueData, want.Elem.DType)
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	if keys.Rank() != 1 || !values.Shape().Equal(keys.Shape()) {
		return nil, fmt.Errorf("%v keys for %v values", keys.Shape(), values.Shape())
	}
	return &tensor.Map{Keys: keys, Values: values}, nil
}

// parseLiteral reads what follows @: a list in JSON as it is, or one element that
// fills the shape. Strings need no quotes.
func parseLiteral(s string, want graph.Type, shape tensor.Shape) (tensor.Value, error) {
	if !want.IsTensor() {
		return valueFromJSON([]byte(s), want)
	}
	if strings.HasPrefix(s, "[") {
		t, err := tensor.FromJSON([]byte(s), want.DType)
		if err != nil {
			return nil, err
		}
		return t, nil
	}
	data := []byte(s)
	named := map[string]string{"nan": "NaN", "inf": "Infinity", "+inf": "Infinity", "-inf": "-Infinity"}[strings.ToLower(s)]
	if want.DType == tensor.String || named != "" {
		if want.DType != tensor.String {
			s = named
		}
		var err error
		if data, err = json.Marshal(s); err != nil {
			return nil, err
		}
	}
	one, err := tensor.FromJSON(data, want.DType)
	if err != nil {
		return nil, fmt.Errorf("@%s: %w", s, err)
	}
	all, err := one.BroadcastTo(shape...)
	if err != nil {
		return nil, err
	}
	return all.Clone(), nil
}
