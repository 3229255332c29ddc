package embedded

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// lineEvery is the interval at which one kind of line of the server is logged. The lines
// between are counted.
const lineEvery = 10 * time.Second

// lineKinds bounds how many kinds of lines are remembered.
const lineKinds = 256

// lines receives the log of the server. Warnings and errors go to the log of this
// process.
type lines struct {
	log *zap.Logger
	// fatal gets the first reason why the server could not start, which is
	// reported in no other way.
	fatal chan string
	// unwritten is called for each line about a write that failed.
	unwritten func()

	mu   sync.Mutex
	last map[string]*lineKind // by format
}

// lineKind is one kind of line: when it was logged, and how often it came since.
type lineKind struct {
	at       time.Time
	repeated int
}

func newLines(log *zap.Logger, unwritten func()) *lines {
	return &lines{log: log, fatal: make(chan string, 1), unwritten: unwritten, last: map[string]*lineKind{}}
}

// Fatalf keeps the reason.
func (l *lines) Fatalf(format string, v ...any) {
	select {
	case l.fatal <- fmt.Sprintf(format, v...):
	default: // a consequence of the first
	}
}

// Noticef drops notices.
func (*lines) Noticef(string, ...any) {}

// Warnf logs a warning.
func (l *lines) Warnf(format string, v ...any) { l.write(zap.WarnLevel, format, v) }

// Errorf logs an error.
func (l *lines) Errorf(format string, v ...any) { l.write(zap.ErrorLevel, format, v) }

// Debugf drops what is for the server's developers.
func (*lines) Debugf(string, ...any) {}

// Tracef drops the protocol.
func (*lines) Tracef(string, ...any) {}

func (l *lines) write(level zapcore.Level, format string, v []any) {
	text := fmt.Sprintf(format, v...)
	if failedWrite(text) {
		l.unwritten()
	}
	if repeated, due := l.due(format, time.Now()); due {
		l.log.Log(level, "nats server reported a problem", zap.String("text", text), zap.Int("repeated", repeated))
	}
}

// due reports whether a line of this kind is logged now, and how many were left
// out before it.
func (l *lines) due(kind string, now time.Time) (repeated int, due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.last[kind]
	switch {
	case k == nil:
		if len(l.last) >= lineKinds {
			clear(l.last)
		}
		l.last[kind] = &lineKind{at: now}
		return 0, true
	case now.Sub(k.at) < lineEvery:
		k.repeated++
		return 0, false
	}
	repeated = k.repeated
	k.at, k.repeated = now, 0
	return repeated, true
}

// failedWrite reports whether a line is about a write to the device that failed.
// The server takes nothing more for such a stream until it is started again.
func failedWrite(text string) bool {
	for _, part := range [...]string{
		"Critical write error", "failed to store a msg", "no space left", "will be DISABLED", "disabling JetStream",
	} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
