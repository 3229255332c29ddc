package natsauth

import "github.com/nats-io/nats.go"

// msg is a message with headers, given as name and value in turn.
func msg(subject, body string, headers ...string) *nats.Msg {
	m := nats.NewMsg(subject)
	m.Data = []byte(body)
	for i := 0; i+1 < len(headers); i += 2 {
		m.Header.Set(headers[i], headers[i+1])
	}
	return m
}
