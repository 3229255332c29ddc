package schema

import (
	"errors"
	"strings"
	"testing"
)

// compile compiles a schema that must be valid.
func compile(t testing.TB, document string, opts ...Option) *Schema {
	t.Helper()
	s, err := Compile([]byte(document), opts...)
	if err != nil {
		t.Fatalf("Compile(%.300s) = %v", document, err)
	}
	return s
}

// replace is strings.Replace of a text that must be present.
func replace(t testing.TB, text, old, with string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("%q not found", old)
	}
	return strings.Replace(text, old, with, 1)
}

// checkInvalid requires an *Invalid whose text contains want.
func checkInvalid(t testing.TB, what string, err error, want string) {
	t.Helper()
	var inv *Invalid
	if !errors.As(err, &inv) {
		t.Errorf("%s = %v, want *Invalid with %q", what, err, want)
		return
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("%s = %q, want it to contain %q", what, err, want)
	}
}
