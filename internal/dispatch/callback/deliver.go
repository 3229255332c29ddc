package callback

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/internal/x/version"
	"github.com/helve-dev/helve/tool"
)

// Outcomes of callbacks, as in the metric.
const (
	// Delivered means that the receiver answered 2xx, Gone that it answered 410 and wants
	// nothing more of it.
	Delivered = "delivered"
	Gone      = "gone"
	// GivenUp means that the receiver did not take the result in a day.
	GivenUp = "given_up"
	// NoResult means that there is nothing to be sent: the call has ended with no result
	// that is stored.
	NoResult = "no_result"
)

// deliver sends a result once, and returns when to send it again; the zero time if it need
// not be.
func (r *run) deliver(e *entry) time.Time {
	c, revision, err := r.Store.Read(r.ctx, e.key)
	if err != nil {
		return r.later(e, "callback not read; trying again", err)
	}
	if c == nil || c.State == callbacks.Ended {
		return r.vanished(e, c)
	}
	need := int64(bodyMemory / (perHost + 1)) // of an element without a copy
	if c.Parts > 0 {
		need = min(need, int64(c.Parts)*queue.InlineLimit)
	}
	if r.memory.Acquire(r.ctx, need) != nil {
		return time.Now() // this run ends
	}
	defer r.memory.Release(need)
	body, err := r.body(e, c)
	if errors.Is(err, callbacks.ErrNoBody) {
		return r.without(e, c, revision, "the result is not stored any more")
	}
	if err != nil {
		return r.later(e, "callback not read; trying again", err)
	}
	if body == nil {
		return r.copyFirst(e, c)
	}
	e.tries++
	status, failure := r.post(e.key, c, body)
	if r.ctx.Err() != nil {
		return time.Now() // this run ends; the next one sends again
	}
	switch {
	case failure != "":
	case status/100 == 2:
		if failpoint.Hit(failpoint.CallbackSent) != nil {
			return time.Now()
		}
		return r.end(e, c, revision, Delivered)
	case status == http.StatusGone:
		return r.end(e, c, revision, Gone)
	default:
		failure = "status " + strconv.Itoa(status)
	}
	if c.State == callbacks.Waits {
		return r.copyFirst(e, c)
	}
	wait, ok := retry(time.Since(time.UnixMilli(c.DueMS)), r.RetryFor, spread())
	if !ok {
		return r.giveUp(e, c, revision, failure)
	}
	level := zap.DebugLevel
	if e.tries == 1 {
		level = zap.WarnLevel
	}
	r.Log.Log(level, "callback not delivered; trying again", zap.String("call", e.key.Tenant+"/"+c.CallID), zap.String("host", e.host),
		zap.String("cause", failure), zap.Duration("in", wait))
	return time.Now().Add(wait)
}

// body returns the element that is to be sent: the copy, or if there was no room for one the
// stored result itself, nil if it is not stored any more.
func (r *run) body(e *entry, c *callbacks.Callback) ([]byte, error) {
	if c.State == callbacks.Due {
		return r.Store.Body(r.ctx, e.key, c)
	}
	ctx, cancel := context.WithTimeout(r.ctx, lookTime)
	defer cancel()
	return r.Outcome(ctx, e.key.Tenant, e.key.CallID, c.Call)
}

// copyFirst has the result of an entry copied before it is sent again.
func (r *run) copyFirst(e *entry, c *callbacks.Callback) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.state = callbacks.Waits
	return lookAgain(c, time.Now())
}

// post sends a result. It returns the status of the answer, or why there is none: text that
// shows nothing of the URL but its host.
func (r *run) post(k callbacks.Key, c *callbacks.Callback, body []byte) (status int, failure string) {
	u, err := parse(c.URL)
	if err != nil || !r.allows(u) {
		return 0, "the host is not among callbacks.allowed_hosts"
	}
	headers, err := unseal(r.ctx, r.Keys, k, c)
	if err != nil {
		return 0, "the headers cannot be decrypted: " + err.Error()
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.Timeout+time.Duration(len(body)>>20)*time.Second)
	defer cancel()
	ctx = tool.WithReach(ctx, net.JoinHostPort(u.Hostname(), portOf(u))) // the operator has listed it
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return 0, "the URL is not valid"
	}
	req.Header.Set("User-Agent", "helve/"+version.String())
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(HeaderSignature, sign(r.Key, time.Now(), body))
	resp, err := r.HTTP.DoOnce(req)
	if err != nil {
		return 0, cause(err)
	}
	defer func() { _ = resp.Body.Close() }()
	drop(resp.Body, cancel)
	return resp.StatusCode, ""
}

const (
	// dropBytes is the part of an answer's body that is read, in dropTime, so that the
	// connection can be used again.
	dropBytes = 4 << 10
	dropTime  = 500 * time.Millisecond
)

// drop reads the end of a short body, which is of no interest. It does not wait for a long
// one.
func drop(body io.Reader, cancel context.CancelFunc) {
	late := time.AfterFunc(dropTime, cancel)
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, body, dropBytes) // whatever it is
}

// cause describes why a request failed. Errors of net/http show the URL.
func cause(err error) string {
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return "the host was not found: " + e.Err
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return fmt.Sprintf("%s: %v", e.Op, e.Err)
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "TLS: " + e.Err.Error()
	}
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return string(e.Kind)
	}
	return "the request failed"
}

// portOf returns the port of a URL.
func portOf(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}

// hostOf returns the host of a URL, as it is written.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}
