package vectorsearch

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

// maxText is the most bytes of a text.
const maxText = 900_000

// entries returns the vectors to store, and sets the dimensions of a collection without any.
func (args upsertArgs) entries(ctx context.Context, call *tool.Call, c *stored) ([]entry, error) {
	n := len(args.Vectors) + len(args.Texts)
	if n < 1 || n > maxVectors {
		return nil, tool.Fail(tool.ValidationError, "give vectors or texts, 1 to %d together, not %d", maxVectors, n)
	}
	list := make([]entry, 0, n)
	seen := map[string]string{}
	add := func(at, id string, metadata tool.Object, e entry) error {
		var err error
		e.Namespace, e.Metadata = args.Namespace, json.RawMessage(metadata)
		if e.ID, err = idOf(at, id); err != nil {
			return err
		}
		if first := seen[e.ID]; first != "" {
			return tool.Fail(tool.ValidationError, "%s has the id of %s; give each its own", at, first)
		}
		seen[e.ID] = at
		list = append(list, e)
		return nil
	}
	for i, given := range args.Vectors {
		at := fmt.Sprintf("vectors[%d]", i)
		v, err := narrow(at+".values", given.Values)
		if err != nil {
			return nil, err
		}
		if err := take(c, at+".values", v); err != nil {
			return nil, err
		}
		if err := add(at, given.ID, given.Metadata, entry{vector: v}); err != nil {
			return nil, err
		}
	}
	texts := make([]string, len(args.Texts))
	for i, given := range args.Texts {
		at := fmt.Sprintf("texts[%d]", i)
		if texts[i] = given.Text; strings.TrimSpace(given.Text) == "" || len(given.Text) > maxText {
			return nil, tool.Fail(tool.ValidationError, "%s.text is blank, or longer than %d bytes", at, maxText)
		}
		if err := add(at, given.ID, given.Metadata, entry{row: row{Text: given.Text}}); err != nil {
			return nil, err
		}
	}
	if len(texts) == 0 {
		return list, nil
	}
	vectors, model, err := embed(ctx, call, c.Dimensions, texts)
	if err != nil {
		return nil, err
	}
	for i, v := range vectors {
		if err := take(c, "a vector of the model "+model, v); err != nil {
			return nil, err
		}
		list[len(args.Vectors)+i].vector = v
	}
	return list, nil
}

// take returns why a vector does not fit, and sets the dimensions if it is the first.
func take(s *stored, parameter string, v []float32) error {
	err := s.fits(parameter, v)
	if err == nil {
		s.Dimensions = len(v)
	}
	return err
}

// idOf returns the id of a vector, a random one for "".
func idOf(at, id string) (string, error) {
	if id == "" {
		const length = 12
		return strings.ToLower(rand.Text()[:length]), nil
	}
	if strings.TrimSpace(id) == "" || utf8.RuneCountInString(id) > maxName {
		return "", tool.Fail(tool.ValidationError, "%s.id is blank, or longer than %d characters", at, maxName)
	}
	return id, nil
}
