package schema

import (
	"strconv"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"object", `{"a":1}`, `{"a":1}`},
		{"object in white space", " {\"a\":1}\n", " {\"a\":1}\n"},
		{"object in a string", `"{\"a\":\"\\u00e9\"}"`, `{"a":"\u00e9"}`},
		{"absent", ``, `{}`},
		{"white space", " \t\r\n", `{}`},
		{"null", ` null `, `{}`},
		{"empty string", `""`, `{}`},
		{"blank string", `" \n"`, `{}`},
		{"digits stay", `{"n":1.2300000000000000000000000000004}`, `{"n":1.2300000000000000000000000000004}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Arguments([]byte(tt.raw))
			if err != nil || string(got) != tt.want {
				t.Errorf("Arguments(%q) = %s, %v, want %s", tt.raw, got, err, tt.want)
			}
		})
	}
}

func TestArgumentsRefused(t *testing.T) {
	twice := strconv.Quote(strconv.Quote(`{}`))
	tests := []struct{ name, raw, want string }{
		{"array", `[1]`, "arguments: expected object, got array"},
		{"number", `-1`, "arguments: expected object, got number"},
		{"boolean", `true`, "arguments: expected object, got boolean"},
		{"string", `"abc"`, "arguments: not valid JSON"},
		{"array in a string", `"[1]"`, "arguments: expected object, got array inside the string"},
		{"null in a string", `"null"`, "arguments: expected object, got null inside the string"},
		{"string in a string", twice, "arguments: expected object, got string inside the string"},
		{"not JSON", `{a:1}`, "arguments: not valid JSON"},
		{"almost null", `nul`, "arguments: not valid JSON"},
		{"not JSON in a string", `"{a:1}"`, "arguments: not valid JSON"},
		{"cut off string", `"{}`, "arguments: not valid JSON"},
		{"trailing data after the string", `"{}" 1`, "something follows the value"},
		{"trailing data inside the string", `"{} 1"`, "something follows the value"},
		{"duplicate keys inside the string", `"{\"a\":1,\"a\":1}"`, "duplicate key 'a'"},
		{"lone surrogate inside the string", `"{\"a\":\"\\ud800\"}"`, "arguments: not valid JSON"},
		{"deep inside the string", strconv.Quote(strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)), "nested more than 128"},
		{"2 MiB", `{"a":"` + strings.Repeat("x", 2<<20) + `"}`, "arguments: larger than 1 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Arguments([]byte(tt.raw))
			checkInvalid(t, "Arguments", err, tt.want)
			if got != nil {
				t.Errorf("Arguments returned %.40s beside its error", got)
			}
		})
	}
}
