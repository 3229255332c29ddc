package config

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// YAML returns every key with its value, in the order of default.yaml, as a file that
// [Load] can read. Passwords in URLs are masked, so a Config that contains one cannot
// be restored from it.
func (c Config) YAML() ([]byte, error) {
	root := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range fields(&c) {
		value := &yaml.Node{}
		if err := value.Encode(plain(f)); err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
		place(root, strings.Split(f.path, "."), value)
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return nil, err
	}
	return out.Bytes(), enc.Close()
}

// plain returns the value of f as an operator writes it.
func plain(f field) any {
	switch p := f.ptr.(type) {
	case *time.Duration:
		return short(*p)
	case *Bytes:
		return p.String()
	case *string:
		if f.url {
			return maskURLs(*p)
		}
		return *p
	case *[]string:
		list := append([]string{}, *p...)
		for i, entry := range list {
			if name, _, ok := strings.Cut(entry, "="); ok && f.value {
				list[i] = name + "=" + masked
			}
		}
		return list
	default:
		return f.ptr
	}
}

// place stores value under path and creates the sections above it.
func place(section *yaml.Node, path []string, value *yaml.Node) {
	if len(path) == 1 {
		section.Content = append(section.Content, named(path[0]), value)
		return
	}
	// Fields come section by section, so an existing section is the last.
	n := len(section.Content)
	if n == 0 || section.Content[n-2].Value != path[0] {
		section.Content = append(section.Content, named(path[0]), &yaml.Node{Kind: yaml.MappingNode})
		n += 2
	}
	place(section.Content[n-1], path[1:], value)
}

func named(name string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: name} }

// short formats 24h0m0s as 24h.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
