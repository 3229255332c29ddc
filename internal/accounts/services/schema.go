package services

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/helve-dev/helve/tool"
)

var (
	nameForm  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	fieldForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
	reference = regexp.MustCompile(`\{([^{}]*)\}`)
)

// maxFields bounds the fields of a service.
const maxFields = 64

// checkSchema returns the first error in the declaration of a service.
func checkSchema(s tool.Service) error {
	if !nameForm.MatchString(s.Name) {
		return fmt.Errorf("name must match %s", nameForm)
	}
	if len(s.Fields) == 0 || len(s.Fields) > maxFields {
		return fmt.Errorf("fields must have 1 to %d fields", maxFields)
	}
	for i, f := range s.Fields {
		switch {
		case !fieldForm.MatchString(f.Name):
			return fmt.Errorf("the name of field %d must match %s", i, fieldForm)
		case slices.ContainsFunc(s.Fields[:i], func(o tool.ServiceField) bool { return o.Name == f.Name }):
			return fmt.Errorf("the field %s is there twice", f.Name)
		case !slices.Contains([]string{tool.FieldText, tool.FieldURL, tool.FieldNumber, tool.FieldBoolean}, f.Type):
			return fmt.Errorf("the type of the field %s must be text, url, number or boolean", f.Name)
		case f.Secret && f.Default != "":
			return fmt.Errorf("the secret field %s cannot have a default", f.Name)
		case f.Default != "" && checkValue(f, f.Default) != nil:
			return fmt.Errorf("the default of the field %s is not one of its values", f.Name)
		}
	}
	return checkTest(s)
}

// checkTest requires that a test names fields that there are. The address must not hold a
// secret, because addresses are logged by servers.
func checkTest(s tool.Service) error {
	if s.Test == nil {
		return nil
	}
	if m := s.Test.Method; m != "" && m != "GET" && m != "HEAD" && m != "POST" {
		return errors.New("test.method must be GET, HEAD or POST")
	}
	for _, name := range []string{s.Test.Bearer, s.Test.User, s.Test.Password} {
		if _, known := s.Field(name); name != "" && !known {
			return fmt.Errorf("test names %q, which is not a field", name)
		}
	}
	for _, text := range slices.Concat([]string{s.Test.URL}, slices.Sorted(valuesOf(s.Test.Header)), slices.Sorted(valuesOf(s.Test.Query))) {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			f, known := s.Field(m[1])
			if !known {
				return fmt.Errorf("test names {%s}, which is not a field", m[1])
			}
			if f.Secret && text == s.Test.URL {
				return fmt.Errorf("test.url cannot have {%s}: a secret in an address would be logged on its way; "+
					"use a header, or test.query where the service takes it nowhere else", m[1])
			}
		}
	}
	return nil
}

func valuesOf(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// maxDeclared bounds the file of declared services, in bytes.
const maxDeclared = 1 << 20

// ReadDeclared reads the services that an operator declares in a YAML file, a list; none
// if path is empty.
func ReadDeclared(path string) ([]tool.Service, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDeclared))
	if err != nil {
		return nil, err
	}
	var list []tool.Service
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: want a list of services with name and fields: %w", path, err)
	}
	for i := range list {
		for j := range list[i].Fields {
			if list[i].Fields[j].Type == "" {
				list[i].Fields[j].Type = tool.FieldText
			}
		}
		list[i].Title = strings.TrimSpace(list[i].Title)
	}
	return list, nil
}
