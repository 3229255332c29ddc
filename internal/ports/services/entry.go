package services

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/helve-dev/helve/tool"
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// maxName limits the name of a service, a label and a field, in characters.
const maxName = 64

// parse reads the text of a file. Its error names the line and the reason.
func parse(text []byte) (book, error) {
	items, err := document(text)
	if err != nil {
		return nil, err
	}
	b := book{}
	for i, item := range items {
		at, e, err := readEntry(item)
		if err == nil {
			err = b.add(at, e)
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d, line %d: %w", i+1, item.Line, err)
		}
	}
	return b, nil
}

// add keeps the default entry of a place in front.
func (b book) add(at place, e tool.ServiceEntry) error {
	list := b[at]
	if slices.ContainsFunc(list, func(o tool.ServiceEntry) bool { return o.Label == e.Label }) {
		return errors.New("there is an entry of the same service, tenant, user and label before it; give it another label")
	}
	if !e.Default {
		b[at] = append(list, e)
		return nil
	}
	if len(list) > 0 && list[0].Default {
		return errors.New("there is a default entry of the same service, tenant and user before it; only one may be it")
	}
	b[at] = slices.Insert(list, 0, e)
	return nil
}

func readEntry(item *yaml.Node) (place, tool.ServiceEntry, error) {
	at := place{tenant: "default"}
	e := tool.ServiceEntry{Label: "default", Active: true, Shared: true}
	err := eachField(item, func(name string, value *yaml.Node) (err error) {
		switch name {
		case "tenant":
			at.tenant, err = text(value, nameForm.MatchString)
		case "user":
			at.user, err = text(value, nameForm.MatchString)
		case "service":
			at.service, err = text(value, readable)
		case "label":
			e.Label, err = text(value, readable)
		case "default":
			e.Default, err = truth(value)
		case "active":
			e.Active, err = truth(value)
		case "data":
			e.Data, err = readData(value)
		default:
			err = errors.New("there is no such field; want some of service, tenant, user, label, default, active and data")
		}
		return err
	})
	switch {
	case err != nil:
		return at, e, err
	case at.service == "":
		return at, e, errors.New("service is missing: the name that tools ask for")
	case len(e.Data) == 0:
		return at, e, errors.New(`data is missing: the fields of the service, such as {api_key: "…"}`)
	}
	return at, e, nil
}

func readData(node *yaml.Node) (map[string]string, error) {
	data := map[string]string{}
	return data, eachField(node, func(name string, value *yaml.Node) (err error) {
		if !readable(name) {
			return fmt.Errorf("the name of a field has 1 to %d characters on one line", maxName)
		}
		data[name], err = text(value, func(string) bool { return true })
		return err
	})
}

// eachField calls read for each field of a mapping, in order. Its errors contain the
// line and not the name, which may be a misplaced value.
func eachField(node *yaml.Node, read func(name string, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d must be a mapping, with lines such as \"name: value\"", node.Line)
	}
	known := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		name, err := text(key, func(string) bool { return true })
		if err == nil && known[name] {
			err = errors.New("the field stands twice")
		}
		if err == nil {
			known[name] = true
			err = read(name, value)
		}
		if err != nil {
			return fmt.Errorf("field at line %d: %w", key.Line, err)
		}
	}
	return nil
}

// text returns a scalar as written: a number keeps its zeros.
func text(node *yaml.Node, fits func(string) bool) (string, error) {
	switch {
	case node.Kind != yaml.ScalarNode:
		return "", errors.New("it must be text, not a list, a mapping or an alias")
	case node.ShortTag() == "!!null":
		return "", errors.New(`it has no value; leave the line out, or write "" for none`)
	case !fits(node.Value):
		return "", fmt.Errorf(
			"it is not a name: a tenant or user has 1 to %d letters, digits, - and _, a service or label 1 to %[1]d characters on one line", maxName,
		)
	}
	return node.Value, nil
}

func truth(node *yaml.Node) (v bool, err error) {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" || node.Decode(&v) != nil {
		return false, errors.New("it must be true or false")
	}
	return v, nil
}

func readable(name string) bool {
	n := len([]rune(name))
	return n > 0 && n <= maxName && strings.TrimSpace(name) == name && !strings.ContainsFunc(name, unicode.IsControl)
}
