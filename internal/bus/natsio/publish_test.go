package natsio

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go"
)

func TestParseAck(t *testing.T) {
	body := func(s string) *nats.Msg { return &nats.Msg{Data: []byte(s)} }
	refused := func(text string) *nats.Msg {
		return body(`{"error":{"code":503,"err_code":10077,"description":"` + text + `"},"stream":"S","seq":0}`)
	}
	for name, tt := range map[string]struct {
		msg  *nats.Msg
		want error
	}{
		"stored":         {body(`{"stream":"S","seq":7}`), nil},
		"duplicate":      {body(`{"stream":"S","seq":7,"duplicate":true}`), nil},
		"none came":      {nil, ErrUnavailable},
		"no stream":      {&nats.Msg{Header: nats.Header{"Status": {"503"}}}, ErrUnavailable},
		"unreadable":     {body(`{`), ErrUnavailable},
		"subject taken":  {refused("maximum messages per subject exceeded"), ErrExists},
		"too many":       {refused("maximum messages exceeded"), ErrFull},
		"too large":      {refused("maximum bytes exceeded"), ErrFull},
		"disk broken":    {refused("no space left on device"), ErrUnavailable},
		"another reason": {body(`{"error":{"code":400,"err_code":10060,"description":"expected stream does not match"}}`), ErrUnavailable},
	} {
		_, err := parseAck(tt.msg)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: parseAck = %v, want %v", name, err, tt.want)
		}
	}
}
