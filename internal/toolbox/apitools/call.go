package apitools

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"

	"github.com/helve-dev/helve/tool"
)

// check refuses a call that lacks an account, before a person is asked about it.
func (o *offer) check(ctx context.Context, call *tool.Call) error {
	_, err := o.keys(ctx, call)
	return err
}

// call executes one call.
func (o *offer) call(ctx context.Context, call *tool.Call, args json.RawMessage) (tool.Result, error) {
	k, err := o.keys(ctx, call)
	if err != nil {
		return tool.Result{}, err
	}
	sent := new(atomic.Bool)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	if o.api.BaseURL != "" { // an operator has set it, so it may be internal
		ctx = tool.WithReach(ctx, net.JoinHostPort(o.base.Hostname(), portOf(o.base)))
	}
	resp, k, err := o.ask(ctx, call, args, k, sent)
	if err != nil {
		return tool.Result{}, o.callError(err, sent.Load(), k)
	}
	defer func() { _ = resp.Body.Close() }() // everything that matters has been read
	res, err := o.answer(call, resp, k)
	if err != nil {
		return tool.Result{}, o.callError(err, true, k)
	}
	return res, nil
}

// ask sends the request of a call, and once more with a new token if the account of a person
// was refused: a request that is answered 401 has done nothing. It returns the keys that were
// sent last.
func (o *offer) ask(ctx context.Context, call *tool.Call, args json.RawMessage, k *keys, sent *atomic.Bool) (*http.Response, *keys, error) {
	resp, err := o.attempt(ctx, call, args, k)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, k, err
	}
	sent.Store(false)
	renewed, err := o.renewed(ctx, call, k)
	if renewed == nil && err == nil {
		return resp, k, nil
	}
	_ = resp.Body.Close() // nothing more is read from it
	if err != nil {
		return nil, k, err
	}
	resp, err = o.attempt(ctx, call, args, renewed)
	return resp, renewed, err
}

// attempt sends the request of a call.
func (o *offer) attempt(ctx context.Context, call *tool.Call, args json.RawMessage, k *keys) (*http.Response, error) {
	if len(k.used) > 0 {
		ctx = tool.WithService(ctx, k.used[0].service)
	}
	req, err := o.request(ctx, call, args, k)
	if err != nil {
		return nil, err
	}
	resp, err := o.send(call.HTTP, req)
	if err != nil && req.Body != nil {
		_ = req.Body.Close() // what refuses a request does not close the file that it sends
	}
	return resp, err
}

// once is the part of the port that returns a redirect instead of following it.
type once interface {
	DoOnce(req *http.Request) (*http.Response, error)
}

// maxRedirects bounds the redirects of one request.
const maxRedirects = 5

// send sends a request. Redirects within the API are followed for requests that change
// nothing; any other redirect is the answer, so that credentials go nowhere else.
func (o *offer) send(port tool.HTTP, req *http.Request) (*http.Response, error) {
	do := port.Do
	if p, ok := port.(once); ok {
		do = p.DoOnce
	}
	for range maxRedirects {
		resp, err := do(req)
		if err != nil || !reads(req.Method) || resp.StatusCode < 300 || resp.StatusCode > 399 {
			return resp, err
		}
		to, err := resp.Location()
		if err != nil || !sameOrigin(to, o.base) || to.User != nil {
			return resp, nil //nolint:nilerr // without a place to go, the redirect is the answer
		}
		_ = resp.Body.Close() // another answer follows
		next := req.Clone(req.Context())
		next.URL, next.Host = to, ""
		req = next
	}
	return nil, tool.Fail(tool.NetworkError, "%s redirected more than %d times", o.base.Host, maxRedirects)
}

// callError returns the error of a call without an answer, without secrets. If a request that
// changes something was sent, its outcome is unknown; a cancelled call is the engine's.
func (o *offer) callError(err error, sent bool, k *keys) error {
	e := tool.AsError(err)
	if _, answered := errors.AsType[*statusError](err); !answered && sent && e.Kind != tool.Cancelled && o.def.Mutates {
		return tool.Fail(tool.OutcomeUnknown,
			"%s did not answer '%s' completely: it may or may not have happened, and it was not sent again; check before you retry",
			o.base.Host, o.def.Name).
			Because(&url.Error{Op: o.op.Method, URL: o.base.Host, Err: errors.New(string(k.scrub([]byte(e.Error()))))})
	}
	return &tool.Error{Kind: e.Kind, Msg: string(k.scrub([]byte(e.Msg))), Cause: scrubbed(e.Cause, k)}
}

// scrubbed returns a cause for the log, without secrets.
func scrubbed(cause error, k *keys) error {
	if cause == nil || len(k.hidden) == 0 {
		return cause
	}
	return errors.New(string(k.scrub([]byte(cause.Error()))))
}
