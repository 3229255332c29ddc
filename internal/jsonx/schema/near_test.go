package schema

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const sorting = `"properties":{"items":{"type":"array"},"order":{"enum":["asc","desc"]},"maxLength":{"type":"integer"},"path":{}},"required":["items"]`

// TestPrepareRefusesMisnamed: a name close to a parameter that is not given is an
// error that names it; one close to a given parameter, or to none, is ignored.
func TestPrepareRefusesMisnamed(t *testing.T) {
	s := compile(t, object(sorting))
	for args, want := range map[string]string{
		`{"items":[],"length":5}`:             "unknown parameter 'length': did you mean 'maxLength'?",
		`{"items":[],"max_length":5}`:         "unknown parameter 'max_length': did you mean 'maxLength'?",
		`{"items":[],"ordre":"asc"}`:          "unknown parameter 'ordre': did you mean 'order'?",
		`{"items":[],"FILE":1}`:               "unknown parameter 'FILE': did you mean 'path'?",
		`{"list":[]}`:                         "unknown parameter 'list': did you mean 'items'?",
		`{"list":[],"order":"up"}`:            "unknown parameter 'list': did you mean 'items'?; order: must be one of: asc, desc",
		`{"list":[],"order":"ASC","u":1}`:     "unknown parameter 'list': did you mean 'items'?",
		`{"order":"asc","zebra":1}`:           "missing required parameter 'items'",
		`{"items":[],"order":null,"ordre":1}`: "unknown parameter 'ordre': did you mean 'order'?",
	} {
		_, err := s.Prepare([]byte(args))
		bad, ok := errors.AsType[*Invalid](err)
		if !ok || bad.Error() != want || !bad.Parameters {
			t.Errorf("Prepare(%s) = %v, want %s", args, err, want)
		}
	}
	for args, ignored := range map[string]string{
		`{"items":[],"path":1,"file":2}`:   "file",
		`{"items":[],"zebra":2}`:           "zebra",
		`{"items":[],"to":2,"x":1,"yy":1}`: "to x yy",
	} {
		p, err := s.Prepare([]byte(args))
		if err != nil || strings.Join(p.Ignored, " ") != ignored {
			t.Errorf("Prepare(%s) = %q, %v, want %s ignored", args, p.Ignored, err, ignored)
		}
	}
	_, err := s.Prepare([]byte(`{"order":1,"items":[]}`))
	if bad, ok := errors.AsType[*Invalid](err); !ok || bad.Parameters {
		t.Errorf("Prepare = %v, want an error that is not about a missing or unknown parameter", err)
	}
	_, err = s.Prepare([]byte(`{"zebra":1}`))
	if bad, ok := errors.AsType[*Invalid](err); !ok || !slices.Equal(bad.Ignored, []string{"zebra"}) {
		t.Errorf("Prepare = %v, want zebra ignored", err)
	}
}

func TestNear(t *testing.T) {
	s := compile(t, object(sorting))
	for name, want := range map[string]string{
		"item": "items", "Items": "items", "lengt": "", "maxlengt": "maxLength", "folder": "path", "zebra": "", "": "",
	} {
		if got := s.Near(name); got != want {
			t.Errorf("Near(%s) = %q, want %q", name, got, want)
		}
	}
}
