package api

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestScannerKnowsJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `""`, `0`, `-0`, `-1.5e-7`, `1E+2`, `true`, `false`, `null`, ` [ 1 , 2 ] `, `{"a":{"b":[{}]},"a":[]}`,
		`"\"\\\/\b\f\n\r\t\u00aF"`, `"\ud800"`, `[[],{},[[]],""]`, "\t\r\n 1", `[1e999999]`,
		``, ` `, `{`, `[`, `"`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{1:2}`, `{a:1}`, `[1,]`, `[,]`, `[1 2]`,
		`[1}`, `{"a":1]`,
		`00`, `01`, `-`, `-a`, `1.`, `.5`, `1e`, `1e+`, `+1`, `0x1`, `tru`, `truee`, `nul`, `True`, `NaN`, `'a'`, `"\x"`, `"\u12"`, `"\u12g4"`,
		"\"\n\"", "\"\x00\"", "\"\x1f\"", `1 2`, `{}{}`, "\v1",
	} {
		s := scanner{text: []byte(text)}
		got, err := s.value()
		valid := err == nil && s.peek() == 0 && s.pos == len(text)
		if want := json.Valid([]byte(text)); valid != want {
			t.Errorf("value(%q) = %q, %v, rest %q: valid %v, want %v", text, got, err, text[s.pos:], valid, want)
		}
		if trimmed := strings.Trim(text, " \t\r\n"); valid && string(got) != trimmed {
			t.Errorf("value(%q) = %q, want %q", text, got, trimmed)
		}
	}
}

func TestScannerStopsAfterOneValue(t *testing.T) {
	s := scanner{text: []byte(`{"a":[1]} , 2`)}
	if got, err := s.value(); err != nil || string(got) != `{"a":[1]}` || string(s.text[s.pos:]) != " , 2" {
		t.Errorf("value = %q, %v, rest %q", got, err, s.text[s.pos:])
	}
}

func TestScannerIsNotRecursive(t *testing.T) {
	const levels = 4 << 20
	s := scanner{text: []byte(deep(levels))}
	if got, err := s.value(); err != nil || len(got) != 2*levels {
		t.Errorf("value of %d levels: %d bytes, %v", levels, len(got), err)
	}
	s = scanner{text: []byte(strings.Repeat("[", levels))}
	if _, err := s.value(); err == nil {
		t.Error("value of an array that never ends succeeded")
	}
}
