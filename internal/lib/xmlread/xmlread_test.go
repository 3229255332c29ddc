package xmlread

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// skipped reads all of a document, by Each and Skip.
func skipped(ctx context.Context, r io.Reader) error {
	d := New(ctx, r)
	if _, err := d.Token(); err != nil {
		return err
	}
	return d.Each(func(xml.StartElement) error { return d.Skip() }, nil)
}

func TestLimits(t *testing.T) {
	for name, text := range map[string]string{
		"depth":      "<a>" + strings.Repeat("<a>", 1_000_000),
		"attributes": "<a><b " + strings.Repeat(`c="" `, 100_000),
		"text":       "<a>" + strings.Repeat("x", maxText+1),
	} {
		if err := skipped(t.Context(), strings.NewReader(text)); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := "<a>" + strings.Repeat("<b c='>'>", MaxDepth-1) + strings.Repeat("</b>", MaxDepth-1) + strings.Repeat("<b/>x", 100_000) + "</a>"
	if err := skipped(t.Context(), strings.NewReader(good)); err != nil {
		t.Errorf("a long document: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := skipped(ended, strings.NewReader(good)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the call: %v", err)
	}
	// Entities are not expanded: they are an error.
	if err := skipped(t.Context(), strings.NewReader(`<!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>`)); err == nil {
		t.Error("an entity was expanded")
	}
}
