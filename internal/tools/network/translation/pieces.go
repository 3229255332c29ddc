package translation

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textsplit"
	"github.com/helve-dev/helve/tool"
)

var errCount = errors.New("another number of values")

// outcome is the translation of a text, or the reason why there is none.
type outcome struct {
	translated

	err *tool.Error
}

// piece is a part of a text: what is translated, and the white space around it.
type piece struct {
	text                int // its index
	before, core, after string
}

// cut returns the pieces of texts. Blank texts have none.
func cut(texts []string, most int) (pieces []piece) {
	for i, text := range texts {
		if blank(text) {
			continue
		}
		for _, part := range textsplit.Split(text, most) {
			p := piece{text: i}
			p.before, p.core, p.after = textsplit.Around(part)
			pieces = append(pieces, p)
		}
	}
	return pieces
}

// translateAll translates texts, in as many requests as the translator needs. Texts whose
// request failed have its error.
func translateAll(ctx context.Context, tr translator, j *job, texts []string) []outcome {
	all := make([]outcome, len(texts))
	bounds := tr.limits()
	pieces := cut(texts, bounds.piece)
	var stopped *tool.Error
	for len(pieces) > 0 {
		n := fitting(pieces, bounds)
		group := pieces[:n]
		pieces = pieces[n:]
		err := stopped
		if err == nil {
			err = translateSome(ctx, tr, j, group, all)
		}
		if err == nil {
			continue
		}
		for _, p := range group {
			all[p.text].err = err
		}
		if err.Kind != tool.ExecutionError || ctx.Err() != nil {
			stopped = err // the next request would fail, too
		}
	}
	return all
}

// fitting returns how many of the first pieces one request takes; at least one.
func fitting(pieces []piece, bounds limits) int {
	size := 0
	for i, p := range pieces {
		size += encodedSize(p.core)
		if i > 0 && (i == bounds.texts || size > bounds.bytes) {
			return i
		}
	}
	return len(pieces)
}

// encodedSize returns the length of a text as JSON, with a comma.
func encodedSize(text string) int {
	encoded, err := json.Marshal(text)
	if err != nil {
		return len(text)
	}
	return len(encoded) + 1
}

// translateSome makes one request and adds its translations to those of the texts.
func translateSome(ctx context.Context, tr translator, j *job, group []piece, all []outcome) *tool.Error {
	var texts []string
	for _, p := range group {
		if p.core != "" {
			texts = append(texts, p.core)
		}
	}
	var got []translated
	if len(texts) > 0 {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		var err error
		if got, err = tr.translate(ctx, j, texts); err != nil {
			return tool.AsError(err)
		}
	}
	for _, p := range group {
		core := ""
		if p.core != "" {
			if blank(got[0].text) {
				return tool.Fail(tool.ExecutionError, "%s translated a text into nothing", tr.name())
			}
			core = strings.TrimSpace(got[0].text)
			if all[p.text].source == "" {
				all[p.text].source = got[0].source
			}
			got = got[1:]
		}
		all[p.text].text += p.before + core + p.after
	}
	return nil
}
