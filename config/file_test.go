package config

import (
	"strings"
	"testing"
)

func TestFileShapes(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"only comments", "# nothing\n", ""},
		{"null", "null\n", ""},
		{"an empty section", "nats:\n  # url: x\n", ""},
		{"an empty key", "nats: {url: }\n", ""},
		{"a list", "- a\n", "holds no keys"},
		{"text", "secret\n", "holds no keys"},
		{"broken", "a: [\n", "is not valid YAML"},
		{"a key twice", "data: a\ndata: b\n", "already defined"},
		{"two documents", "data: a\n---\ndata: b\n", "more than one YAML document"},
		{"a broken second document", "data: a\n---\n[\n", "more than one YAML document"},
		{"too large", "# " + strings.Repeat("x", largestFile), "is larger than 1MiB"},
		{"a dotted key", "nats.url: nats://a\n", "keys hold no dots"},
		{"another case", "Data: a\n", "unknown key; the nearest is data"},
		{"a section for a key", "data: {a: b}\n", "data: is a section; want text"},
		{"a number for text", "data: 5\n", "data: is the number 5; want text, in quotes if need be"},
		{"text for a section", "nats: nats://u:hunter2@h\n", "nats: is text; want a section"},
		{"a list for a section", "nats: [a]\n", "nats: is a list; want a section"},
		{"a number in a list", "worker: {pools: [a, 5]}\n", "has the number 5 as item 2; want a list of text"},
		{"a number for a list", "worker: {pools: 5}\n", "is the number 5; want a list"},
		{"a fraction", "worker: {slots: 1.5}\n", "is the number 1.5; want a whole number"},
		{"a date", "data: 2001-01-01\n", "want text, in quotes if need be"},
		{"a bare duration", "consent: {ttl: 5}\n", "is the number 5; want a duration"},
		{"aliases", "worker: &w {slots: 5}\nup: *w\n", "up.slots: unknown key; the nearest is worker.slots"},
	} {
		_, err := Load(Source{File: file(t, tt.text)})
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: Load = %v, want nil", tt.name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: Load = %v, want %q", tt.name, err, tt.want)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%s: Load = %v, which shows the password", tt.name, err)
		}
	}
}

func TestFileIsADirectory(t *testing.T) {
	if _, err := Load(Source{File: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("Load of a directory = %v, want cannot be read", err)
	}
}
