package tool

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"
)

type aliasArgs struct {
	Items string `json:"items" alias:"list,values"`
	Max   int    `json:"max,omitempty" alias:"length"`
}

func aliasSpec[Args any]() Spec[Args, string] {
	return Spec[Args, string]{
		Name: "sort", Description: "Sorts.", Risk: Low, Timeout: time.Second,
		Run: func(context.Context, *Call, Args) (string, error) { return "", nil },
	}
}

// TestAliasTag: other names of a parameter are known to the tool and not listed.
func TestAliasTag(t *testing.T) {
	tl := Add(NewSet("Text", "text"), aliasSpec[aliasArgs]())
	if want := (map[string]string{"list": "items", "values": "items", "length": "max"}); !maps.Equal(tl.ParameterAliases, want) {
		t.Errorf("ParameterAliases = %v, want %v", tl.ParameterAliases, want)
	}
	if strings.Contains(string(tl.Parameters), "values") {
		t.Errorf("the schema lists an alias: %s", tl.Parameters)
	}
}

// TestAliasTagTaken refuses an alias that would stand for two parameters or none.
func TestAliasTagTaken(t *testing.T) {
	type name struct {
		A string `json:"a" alias:"b"`
		B string `json:"b"`
	}
	type twice struct {
		A string `json:"a" alias:"c"`
		B string `json:"b" alias:"c"`
	}
	type empty struct {
		A string `json:"a" alias:"old,"`
	}
	type nested struct {
		A struct {
			B string `json:"b" alias:"c"`
		} `json:"a"`
	}
	for name, build := range map[string]func() error{
		"a parameter's name": func() error { _, err := build(NewSet("T", "t"), aliasSpec[name]()); return err },
		"an alias of two":    func() error { _, err := build(NewSet("T", "t"), aliasSpec[twice]()); return err },
		"no name":            func() error { _, err := build(NewSet("T", "t"), aliasSpec[empty]()); return err },
		"a nested field":     func() error { _, err := build(NewSet("T", "t"), aliasSpec[nested]()); return err },
	} {
		if err := build(); err == nil || !strings.Contains(err.Error(), "alias") {
			t.Errorf("%s: build = %v, want an error about the alias", name, err)
		}
	}
}
