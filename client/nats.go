package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/natscontext"
)

// Headers of a failed request, in the form of NATS micro services.
const (
	headerErrorCode = "Nats-Service-Error-Code"
	headerError     = "Nats-Service-Error"
)

// resultsBucket is the bucket of results that are too large for a message.
const resultsBucket = "HELVE_RESULTS"

const dialTimeout = 5 * time.Second

type natsTransport struct {
	nc *nats.Conn
	js jetstream.JetStream
	// base is "<prefix>.<tenant>."; shown is the server without a password.
	base, shown string
	silent      error
	// token is sent with each request, if it is not empty.
	token string
	// link is valid until the connection is lost.
	link atomic.Pointer[link]
}

func dialNATS(server string, set settings) (*natsTransport, error) {
	t := &natsTransport{base: set.prefix + "." + cmp.Or(set.tenant, "default") + ".", token: set.token}
	t.relink()
	options := append(connOptions(set), nats.DisconnectErrHandler(func(*nats.Conn, error) { t.relink() }))
	var err error
	if set.natsContext != "" {
		t.shown = "the NATS context " + set.natsContext
		t.nc, _, err = natscontext.Connect(set.natsContext, options...)
	} else {
		t.shown = redactedList(server)
		t.nc, err = nats.Connect(server, options...)
	}
	if err != nil {
		return nil, t.undialled(err)
	}
	t.silent = unreachable(t.shown, errSilent)
	if t.js, err = jetstream.New(t.nc); err != nil {
		t.nc.Close()
		return nil, err
	}
	return t, nil
}

func connOptions(set settings) []nats.Option {
	options := []nats.Option{
		nats.Name("helve-client"),
		nats.Timeout(dialTimeout),
		nats.RetryOnFailedConnect(set.retry),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectJitter(250*time.Millisecond, time.Second),
		nats.PingInterval(10 * time.Second),
		// The default handler writes to standard error, which belongs to the program.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
	if set.creds != "" {
		options = append(options, nats.UserCredentials(set.creds))
	}
	if set.tls != nil {
		options = append(options, nats.Secure(set.tls))
	}
	return options
}

// redactedList redacts a list of URLs separated by commas.
func redactedList(servers string) string {
	var shown []string
	for server := range strings.SplitSeq(servers, ",") {
		shown = append(shown, redacted(strings.TrimSpace(server)))
	}
	return strings.Join(shown, ",")
}

// undialled distinguishes an unreachable server from a server that refuses us and from
// settings that cannot work.
func (t *natsTransport) undialled(err error) error {
	if errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) {
		return &RequestError{
			Type: Unauthenticated, Status: http.StatusUnauthorized, cause: err,
			Message: t.shown + " refused the credentials; give a credentials file or a NATS context",
		}
	}
	_, undialled := errors.AsType[*net.OpError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	if undialled || untrusted || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) {
		return unreachable(t.shown, err)
	}
	return fmt.Errorf("connect to %s: %w", t.shown, err)
}

func (t *natsTransport) close() { t.nc.Close() }

func (t *natsTransport) silence() error { return t.silent }

// request uses the connection's single wildcard inbox for the reply.
func (t *natsTransport) request(ctx context.Context, op operation) (answer, error) {
	body, err := op.natsBody()
	if err != nil {
		return answer{}, misused("the request cannot be encoded as JSON: %v", err)
	}
	ctx, done := t.linked(ctx)
	defer done()
	msg := &nats.Msg{Subject: t.base + "api." + op.name, Data: body}
	if t.token != "" {
		msg.Header = nats.Header{"Authorization": {"Bearer " + t.token}}
	}
	msg, err = t.nc.RequestMsgWithContext(ctx, msg)
	if err != nil {
		return answer{}, t.unanswered(ctx, err)
	}
	got := answer{body: msg.Data, retryAfter: parseRetryAfter(msg.Header.Get("Retry-After"), time.Now())}
	code := msg.Header.Get(headerErrorCode)
	if code == "" || holdsResults(msg.Data) {
		return got, nil
	}
	status, err := strconv.Atoi(code)
	if err != nil {
		status = http.StatusInternalServerError
	}
	return answer{}, problem(status, msg.Data, got.retryAfter, msg.Header.Get(headerError))
}

func (t *natsTransport) unanswered(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return unreachable(t.shown, errors.New("no dispatcher listens below "+strings.TrimSuffix(t.base, ".")))
	case errors.Is(err, nats.ErrMaxPayload):
		return &RequestError{
			Type: TooLarge, Status: http.StatusRequestEntityTooLarge, cause: err,
			Message: fmt.Sprintf(
				"the request is larger than the %d bytes this NATS server takes; send fewer calls in one request or smaller arguments",
				t.nc.MaxPayload(),
			),
		}
	}
	return ended(ctx, unreachable(t.shown, err))
}

func (t *natsTransport) fetch(ctx context.Context, callID string, ref *ResultRef, limit int64) ([]byte, error) {
	store, err := t.js.ObjectStore(ctx, resultsBucket)
	if err != nil {
		return nil, ended(ctx, unreachable(t.shown+" object bucket "+resultsBucket, err))
	}
	object, err := store.Get(ctx, ref.Object)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, &RequestError{Type: NotFound, Status: http.StatusNotFound, cause: err,
			Message: "the result of call " + callID + " is no longer kept"}
	}
	if err != nil {
		return nil, ended(ctx, unreachable(t.shown, err))
	}
	defer object.Close()
	body, err := readUpTo(object, limit)
	if err != nil {
		return nil, ended(ctx, unreachable(t.shown, err))
	}
	return body, nil
}
