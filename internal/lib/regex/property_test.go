package regex

import (
	"strings"
	"testing"
	"time"

	"github.com/dlclark/regexp2/v2"
)

func TestProperties(t *testing.T) {
	const text = "αB1 .\u0345a\\p{L}"
	for _, tt := range []struct{ pattern, want string }{
		{`\p{Script=Greek}`, "α"},
		{`\p{sc=Greek}|\p{Script_Extensions=Latin}`, "αBapL"},
		{`\p{General_Category=Lu}`, "BL"},
		{`\p{gc=Letter}`, "αBapL"},
		{`\pL`, "αBapL"},
		{`\PL`, "1 .\u0345\\{}"},
		{`\p{Alphabetic}`, "αB\u0345apL"},
		{`\P{Alphabetic}`, "1 .\\{}"},
		{`[\p{Lowercase}\d]`, "α1\u0345ap"},
		{`[^\p{Lowercase}\d]`, "B .\\{L}"},
		{`[\]\p{Upper}]`, "BL"},
		{`\p{ASCII}`, `B1 .a\p{L}`},
		{`\P{ASCII}`, "α\u0345"},
		{`(?=\p{Any})\p{Script=Greek}`, "α"},
		{`\\p\{L\}`, `\p{L}`},
		{`[\\p]`, `\p`},
	} {
		re, err := Compile(tt.pattern, "u")
		if err != nil {
			t.Errorf("compileRegex(%q): %v", tt.pattern, err)
			continue
		}
		var got strings.Builder
		err = Each(t.Context(), re, text, func(m *regexp2.Match) bool {
			got.WriteString(m.String())
			return true
		})
		if err != nil || got.String() != tt.want {
			t.Errorf("%q finds %q, %v, want %q", tt.pattern, got.String(), err, tt.want)
		}
	}
	for _, pattern := range []string{`\p{Foo}`, `[\p{Script=Foo}]`, `\p{Foo=Greek}`, `[a\P{Alphabetic}]`, `\p{}`} {
		if _, err := Compile(pattern, ""); err == nil {
			t.Errorf("compileRegex(%q) succeeded", pattern)
		}
	}
}

func TestManyProperties(t *testing.T) {
	for _, part := range []string{`\p{Alphabetic}`, `[\p{Alphabetic}x]`, `\P{ASCII}`, `\p{Any}`, `\p{sc=Greek}`} {
		start := time.Now()
		_, err := Compile(strings.Repeat(part, 500), "i")
		if took := time.Since(start); took > time.Minute {
			t.Errorf("500 times %s took %v, %v", part, took, err)
		}
	}
}
