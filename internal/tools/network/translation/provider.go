package translation

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/llm"
	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/lib/tongue"
	"github.com/helve-dev/helve/tool"
)

// job holds how texts are to be translated.
type job struct {
	source tongue.Language // without a code if the provider is to recognise it
	target tongue.Language
	style
}

// style holds wishes that not every provider can fulfil.
type style struct {
	formality, glossary, context string
	preserve                     bool
}

// translated is a translation and the code of the language of its text.
type translated struct{ text, source string }

// translator is a provider.
type translator interface {
	name() string
	limits() limits
	// check refuses a job that the provider cannot do, and returns the names of parameters
	// that it ignores.
	check(j *job) (ignored []string, err error)
	// translate makes one request, with texts that are not blank.
	translate(ctx context.Context, j *job, texts []string) ([]translated, error)
}

// limits bounds the requests to a provider.
type limits struct {
	texts int // of a request
	bytes int // of the texts of a request, as JSON
	piece int // bytes of a text; a longer one is sent in pieces
}

// patience bounds a request.
const patience = 60 * time.Second

// longest is the time limit of a call, which may make many requests.
const longest = 5 * time.Minute

// find returns the translator of the call. The error is not_configured if there is none.
func find(ctx context.Context, call *tool.Call, use string) (translator, error) {
	c, err := outward.Find(ctx, call, deepL(use))
	switch {
	case err != nil:
		return nil, err
	case c != nil:
		return &deepLClient{c}, nil
	}
	if c, err = outward.Find(ctx, call, libreTranslate(use)); err != nil {
		return nil, err
	} else if c != nil {
		return &libreClient{c}, nil
	}
	m, err := llm.Find(ctx, call, use)
	switch {
	case err != nil:
		return nil, err
	case m != nil:
		return &modelClient{m}, nil
	}
	return nil, outward.MissingAll(call, append([]outward.Service{deepL(use), libreTranslate(use)}, llm.Services(use)...)...)
}

// codeOf returns the code of a language as a provider reports it.
func codeOf(reported string) string {
	if l, ok := tongue.Find(reported); ok {
		return l.Code
	}
	return strings.ToLower(textcut.Head(reported, len("zh-Hant-TW")))
}
