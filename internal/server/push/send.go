package push

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	webpush "github.com/SherClockHolmes/webpush-go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/tool"
)

// HTTP sends a request without following redirects, as netguard does.
type HTTP interface {
	DoOnce(req *http.Request) (*http.Response, error)
}

// outcome is the end of a notification for a device, as in the metric.
type outcome string

const (
	// delivered means that the push service took it, and gone that it knows the device no
	// longer.
	delivered outcome = "delivered"
	gone      outcome = "gone"
	// refused means that trying again would be in vain: the guard refuses the address, or the
	// push service the notification.
	refused outcome = "refused"
	// givenUp means that the push service did not take it in time.
	givenUp outcome = "given_up"
)

const (
	// timeout bounds one request to a push service, and tries the number of them.
	timeout = 10 * time.Second
	tries   = 4
	// firstPause is the pause after the first attempt; each further one is longer by pauseGrowth.
	firstPause  = 2 * time.Second
	pauseGrowth = 4
	// recordSize is the size of each encrypted notification, in bytes, since shorter ones are
	// padded: nobody learns from the size what is asked. Push services take 4,096 at least.
	recordSize = 3 << 10
)

// sender sends notifications to push services.
type sender struct {
	http    HTTP
	contact string
	pair    keyPair
}

// notification is a message for one device.
type notification struct {
	payload []byte
	topic   string
	// until is the time after which it is of no use.
	until time.Time
}

// send sends a notification until the push service takes it, or until trying again is in vain.
// The cause of another outcome is for the log.
func (s sender) send(ctx context.Context, to device, n notification) (out outcome, cause string) {
	for try, pause := 1, firstPause; ; try, pause = try+1, pause*pauseGrowth {
		left := time.Until(n.until)
		if left < time.Second {
			return givenUp, "the request has expired"
		}
		status, after, err := s.post(ctx, to, n, left)
		switch {
		case status/100 == 2:
			return delivered, ""
		case status == http.StatusNotFound, status == http.StatusGone:
			return gone, ""
		case err != nil && hopeless(err):
			return refused, err.Error()
		case err != nil:
			cause = "the push service cannot be reached"
		case status == http.StatusTooManyRequests || status/100 == 5:
			cause = "status " + strconv.Itoa(status)
		default:
			return refused, "status " + strconv.Itoa(status)
		}
		wait := max(pause, after)
		if end, ok := ctx.Deadline(); try == tries || ctx.Err() != nil || ok && time.Until(end) < wait {
			return givenUp, cause
		}
		natsio.Pause(ctx, wait)
	}
}

// hopeless reports whether the guard refuses a request, now and later.
func hopeless(err error) bool {
	e, ok := errors.AsType[*tool.Error](err)
	return ok && (e.Kind == tool.PermissionDenied || e.Kind == tool.ValidationError)
}

// post sends one request. It returns the status of the answer, and how long the push service
// wants to be left alone.
func (s sender) post(ctx context.Context, to device, n notification, left time.Duration) (status int, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	resp, err := webpush.SendNotificationWithContext(ctx, n.payload,
		&webpush.Subscription{Endpoint: to.Endpoint, Keys: webpush.Keys{P256dh: to.P256dh, Auth: to.Auth}},
		&webpush.Options{
			HTTPClient: once{s.http}, RecordSize: recordSize, Subscriber: s.contact, Topic: n.topic, TTL: int(left.Seconds()),
			Urgency: webpush.UrgencyHigh, VAPIDPublicKey: s.pair.public, VAPIDPrivateKey: s.pair.private,
		})
	if err != nil {
		return 0, 0, err
	}
	_ = resp.Body.Close() // its text is of no interest, whatever its length
	return resp.StatusCode, retryAfter(resp.Header.Get("Retry-After"), time.Now()), nil
}

// once implements [webpush.HTTPClient].
type once struct{ http HTTP }

// Do implements [webpush.HTTPClient].
func (o once) Do(req *http.Request) (*http.Response, error) { return o.http.DoOnce(req) }

// retryAfter returns the time of a header Retry-After: a number of seconds or a date, 0 for none.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
