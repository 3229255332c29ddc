package natsio

import (
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"
)

// Causes of errors that the connection reports.
const (
	causeSlow         = "slow_consumer"
	causePermission   = "permission"
	causeDisconnected = "disconnected"
	causeCredentials  = "credentials"
	causeOther        = "other"
)

// causeOf returns the cause of an error of the connection.
func causeOf(err error) string {
	switch {
	case errors.Is(err, errCredentials):
		return causeCredentials
	case errors.Is(err, nats.ErrSlowConsumer):
		return causeSlow
	case errors.Is(err, nats.ErrPermissionViolation), errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired),
		errors.Is(err, nats.ErrAuthRevoked):
		return causePermission
	case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrDisconnected), errors.Is(err, nats.ErrStaleConnection),
		errors.Is(err, nats.ErrNoServers):
		return causeDisconnected
	}
	return causeOther
}

const (
	// throttleFirst and throttleMost are the shortest and the longest time between two log
	// lines about one cause: it doubles with each line.
	throttleFirst = time.Second
	throttleMost  = time.Minute
)

// refused is a request that the permissions of the credential did not allow.
type refused struct {
	at  time.Time
	err error
}

// refusedFor is the time for which a refused request counts: if its cause is gone, it is not made
// again.
const refusedFor = 10 * time.Minute

// Forbidden returns the last request that the permissions of the credential did not allow, if it
// was made in the last minutes.
func Forbidden(c *Conn, now time.Time) error {
	if last := c.refused.Load(); last != nil && now.Sub(last.at) < refusedFor {
		return last.err
	}
	return nil
}

// throttle limits the log lines about errors of one connection, for each cause.
type throttle struct {
	mu     sync.Mutex
	causes map[string]*quiet
}

// quiet is the pause after a log line.
type quiet struct {
	until  time.Time
	pause  time.Duration
	hidden int
}

// note reports whether an error is to be logged, and how many were not since the last line.
func (t *throttle) note(cause string, now time.Time) (hidden int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.causes == nil {
		t.causes = map[string]*quiet{}
	}
	q := t.causes[cause]
	if q == nil {
		q = &quiet{}
		t.causes[cause] = q
	}
	if now.Before(q.until) {
		q.hidden++
		return 0, false
	}
	if now.Sub(q.until) > throttleMost { // it had stopped
		q.pause = throttleFirst
	} else {
		q.pause = min(max(2*q.pause, throttleFirst), throttleMost)
	}
	hidden, q.hidden, q.until = q.hidden, 0, now.Add(q.pause)
	return hidden, true
}

// report counts an error of the connection and logs it with its cause.
func (c *Conn) report(message, subject string, err error) {
	cause := causeOf(err)
	if errors.Is(err, nats.ErrPermissionViolation) {
		c.refused.Store(&refused{time.Now(), err})
	}
	c.opts.Failed(cause)
	if hidden, ok := c.errors.note(cause+message, time.Now()); ok {
		c.log.Warn(message, zap.String("cause", cause), zap.String("subject", subject), zap.Int("hidden", hidden), zap.Error(err))
	}
}
