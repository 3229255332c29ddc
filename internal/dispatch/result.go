package dispatch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/protocol"
)

// DefaultInline is the largest result that calls.get and calls.cancel put into
// their answer, in bytes; docs/protocol.md, Operations.
const DefaultInline = 16 << 20

// fit brings large results into the answer, or out of it, so that it suits the
// transport.
func (d *Dispatcher) fit(ctx context.Context, req *Request, results []json.RawMessage) error {
	limits := answerOf(ctx)
	total := int64(0)
	for i, element := range results {
		if hasRef(element) {
			ctx, cancel := req.within(ctx)
			defer cancel()
			full, err := d.inlineUpTo(ctx, element, limits.Inline)
			if err != nil {
				return err
			}
			results[i] = full
		}
		total += int64(len(results[i]))
	}
	if limits.Limit <= 0 || total <= limits.Limit {
		return nil
	}
	ctx, cancel := req.within(ctx)
	defer cancel()
	return d.moveOut(ctx, req.Tenant, results, total-limits.Limit)
}

// moveOut puts the results of an answer that is too large for its transport
// into the object store, largest first, until the answer is excess bytes shorter.
func (d *Dispatcher) moveOut(ctx context.Context, tenant string, results []json.RawMessage, excess int64) error {
	for excess > 0 {
		largest := 0
		for i := range results {
			if len(results[i]) > len(results[largest]) {
				largest = i
			}
		}
		before := len(results[largest])
		small, err := d.outline(ctx, tenant, results[largest])
		if err != nil {
			return err
		}
		if len(small) >= before {
			return &Error{
				Kind: TooLarge,
				Msg:  "the results do not fit one answer; fetch them one by one with calls.get, or send fewer calls in one request",
			}
		}
		results[largest] = small
		excess -= int64(before - len(small))
	}
	return nil
}

// outline replaces the result of an element by a reference.
func (d *Dispatcher) outline(ctx context.Context, tenant string, element []byte) ([]byte, error) {
	el, err := call.DecodeResult(element)
	if err != nil || el.ResultRef != nil || len(el.Result)+len(el.Content) == 0 {
		return element, err
	}
	if len(el.Result) > 0 {
		if el.ResultRef, err = d.Queue.Results.StoreResult(ctx, tenant, el.CallID, "answer", el.Result); err != nil {
			return nil, unavailable()
		}
	}
	if el.Text != "" {
		if el.TextRef, err = d.Queue.Results.StoreResult(ctx, tenant, el.CallID, "answer-text", []byte(el.Text)); err != nil {
			return nil, unavailable()
		}
	}
	if el.Content != nil {
		if el.ContentRef, err = d.Queue.Results.StoreResult(ctx, tenant, el.CallID, "answer-content", el.Content); err != nil {
			return nil, unavailable()
		}
	}
	el.Result, el.Text, el.Content = nil, "", nil
	return encode(el), nil
}

func hasRef(element []byte) bool { return bytes.Contains(element, []byte(`_ref":{"object"`)) }

// inline is for answers with one element.
func (d *Dispatcher) inline(ctx context.Context, element []byte) (json.RawMessage, error) {
	if !hasRef(element) {
		return element, nil
	}
	return d.inlineUpTo(ctx, element, answerOf(ctx).Inline)
}

// inlineUpTo replaces the references of an element by the values that they name, as far as
// each fits. An object may have expired before its element; then the reference stays.
func (d *Dispatcher) inlineUpTo(ctx context.Context, element []byte, limit int64) (json.RawMessage, error) {
	el, err := call.DecodeResult(element)
	if err != nil {
		return element, err
	}
	content := limit
	if answerOf(ctx).Limit <= 0 {
		content = DefaultInline // images take no part in what a text repeats
	}
	changed := false
	for _, part := range []struct {
		ref   **protocol.ResultRef
		limit int64
		set   func([]byte)
	}{
		{&el.ResultRef, limit, func(value []byte) { el.Result = value }},
		{&el.TextRef, limit, func(value []byte) { el.Text = string(value) }},
		{&el.ContentRef, content, func(value []byte) { el.Content = value }},
	} {
		if *part.ref == nil || (*part.ref).Size > part.limit {
			continue
		}
		value, err := d.read(ctx, *part.ref)
		if errors.Is(err, natsio.ErrNoObject) {
			continue
		}
		if err != nil {
			return nil, unavailable()
		}
		part.set(value)
		*part.ref, changed = nil, true
	}
	if !changed {
		return element, nil
	}
	return encode(el), nil
}

func (d *Dispatcher) read(ctx context.Context, ref *protocol.ResultRef) ([]byte, error) {
	r, err := d.Queue.Results.OpenResult(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	return data, nil
}

// Result opens the bare result of a call, a JSON value, with its size in bytes.
func (d *Dispatcher) Result(ctx context.Context, tenant, callID string) (io.ReadCloser, int64, error) {
	stored, err := d.results.FindLatest(ctx, results.Named(tenant, callID))
	if err != nil {
		return nil, 0, readError(err)
	}
	if stored == nil {
		return nil, 0, unknownResult()
	}
	if err := d.permitStored(ctx, "calls.result", tenant, callID, stored, unknownResult()); err != nil {
		return nil, 0, err
	}
	el, err := call.DecodeResult(stored.Element)
	if err != nil {
		return nil, 0, err
	}
	if el.Status != protocol.StatusSuccess {
		return nil, 0, notFound("the call ended without a result; ask calls.get why")
	}
	if el.ResultRef == nil {
		return io.NopCloser(strings.NewReader(string(el.Result))), int64(len(el.Result)), nil
	}
	r, err := d.Queue.Results.OpenResult(ctx, el.ResultRef)
	if errors.Is(err, natsio.ErrNoObject) {
		return nil, 0, notFound("the result is no longer kept")
	}
	if err != nil {
		return nil, 0, unavailable()
	}
	return r, el.ResultRef.Size, nil
}

// readError is the error for a result that could not be read.
func readError(err error) *Error {
	e := unavailable()
	if !errors.Is(err, natsio.ErrUnavailable) {
		e.Msg = "the audit index, which knows where results are stored, cannot be read now or is behind; ask again, and if that lasts tell the " +
			"operator to look at the dispatcher's health"
	}
	return e
}
