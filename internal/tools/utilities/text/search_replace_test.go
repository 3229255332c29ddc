package text

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestSearchReplace(t *testing.T) {
	tooltest.Run(t, Set, "search_replace", tool.Call{}, []tooltest.Case{
		{
			Name:     "all",
			Args:     `{"text":"The cat saw another cat.","search":"cat","replace":"dog"}`,
			Want:     `{"output":"The dog saw another dog.","replacements":2}`,
			WantText: "The dog saw another dog.",
		},
		{Name: "the first", Args: `{"text":"a a","search":"a","replace":"b","all":false}`, Want: `{"output":"b a","replacements":1}`},
		{Name: "literally", Args: `{"text":"1+1=2 $1","search":"1+1","replace":"$1 $$"}`, Want: `{"output":"$1 $$=2 $1","replacements":1}`},
		{
			Name: "any case",
			Args: `{"text":"Cat CAT c.t","search":"c.T","replace":"$1","caseSensitive":false}`,
			Want: `{"output":"Cat CAT $1","replacements":1}`,
		},
		{
			Name: "whole words",
			Args: `{"text":"cat concat catß cat","search":"cat","replace":"dog","wholeWord":true}`,
			Want: `{"output":"dog concat catß dog","replacements":2}`,
		},
		{Name: "take out", Args: `{"text":"a-b-c","search":"-"}`, Want: `{"output":"abc","replacements":2}`},
		{Name: "nothing found", Args: `{"text":"abc","search":"x","replace":"y"}`, Want: `{"output":"abc","replacements":0}`},
		{
			Name: "expression",
			Args: `{"text":"2024-05","search":"(\\d+)-(\\d+)","replace":"$2/$1","regex":true}`,
			Want: `{"output":"05/2024","replacements":1}`,
		},
		{
			Name: "expression once",
			Args: `{"text":"aXbX","search":"x","replace":"","regex":true,"caseSensitive":false,"all":false}`,
			Want: `{"output":"abX","replacements":1}`,
		},
		{
			Name:    "broken expression",
			Args:    `{"text":"a","search":"(","replace":"","regex":true}`,
			Fails:   tool.ValidationError,
			Message: "Invalid regular expression",
		},
		{
			Name:    "expression for ever",
			Args:    `{"text":"` + strings.Repeat("a", 40) + `!","search":"(a+)+$","replace":"","regex":true}`,
			Fails:   tool.Timeout,
			Message: "did not finish",
		},
		{Name: "search for nothing", Args: `{"text":"a","search":"","replace":"b"}`, Fails: tool.ValidationError, Message: "search"},
		{
			Name:    "too long",
			Args:    `{"text":"` + strings.Repeat("x", 1000) + `","search":"x","replace":"` + strings.Repeat("y", 5000) + `"}`,
			Fails:   tool.ValidationError,
			Message: "longer than 4194304 bytes",
		},
	})
}
