package main

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCountWords(t *testing.T) {
	tooltest.Run(t, Set, "tally_words", tool.Call{}, []tooltest.Case{
		{Name: "words", Args: `{"text":" to be\tor not "}`, Want: `{"words":4}`},
		{Name: "nothing", Args: `{"text":""}`, Want: `{"words":0}`},
		{Name: "no text", Args: `{}`, Fails: tool.ValidationError},
	})
}
