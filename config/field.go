package config

import (
	"reflect"
	"strings"
)

// field is one key: its path, a pointer to its value in a Config, whether the value may
// be a URL with a password, and whether the part after = in it is secret.
type field struct {
	path       string
	ptr        any
	url, value bool
}

// fields returns every key of c, sections resolved, in the order of the struct.
func fields(c *Config) []field {
	return collect(nil, "", reflect.ValueOf(c).Elem())
}

func collect(all []field, prefix string, section reflect.Value) []field {
	for sf, v := range section.Fields() {
		if sf.Tag.Get("yaml") == "-" {
			continue // not a setting
		}
		path := prefix + sf.Tag.Get("yaml")
		if v.Kind() == reflect.Struct {
			all = collect(all, path+".", v)
			continue
		}
		all = append(all, field{path: path, ptr: v.Addr().Interface(), url: sf.Tag.Get("mask") == "url", value: sf.Tag.Get("mask") == "value"})
	}
	return all
}

// keys maps the path of each field to the field.
func keys(c *Config) map[string]field {
	byPath := map[string]field{}
	for _, f := range fields(c) {
		byPath[f.path] = f
	}
	return byPath
}

// isSection reports whether keys lie below path.
func isSection(byPath map[string]field, path string) bool {
	for p := range byPath {
		if strings.HasPrefix(p, path+".") {
			return true
		}
	}
	return false
}
