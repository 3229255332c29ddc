package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// otlpClient sends spans or metrics to a collector over HTTP, as protobuf. It implements
// otlptrace.Client.
//
// The SDK's own client links gRPC and its gateway, through the package that declares
// the collector's messages: 2.4 MB in every program. It needs only two of these
// messages, whose encodings equal those of TracesData and MetricsData.
type otlpClient struct {
	otlpSettings
	http *http.Client
	stop chan struct{}
	once sync.Once
}

func newOTLPClient(s otlpSettings) *otlpClient {
	transport := &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		TLSClientConfig:   s.tls,
		ForceAttemptHTTP2: true,
		IdleConnTimeout:   90 * time.Second,
	}
	return &otlpClient{otlpSettings: s, http: &http.Client{Transport: transport}, stop: make(chan struct{})}
}

// Start implements otlptrace.Client. It opens no connection.
func (c *otlpClient) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client: it abandons the upload in progress.
func (c *otlpClient) Stop(context.Context) error {
	c.once.Do(func() { close(c.stop) })
	c.http.CloseIdleConnections()
	return nil
}

// Retries of one batch, as the specification of OTLP recommends.
const (
	retryFirst = 5 * time.Second
	retryMost  = 30 * time.Second
	retryFor   = time.Minute
)

// UploadTraces implements otlptrace.Client. It tries again if the collector answers
// that it is busy, until ctx ends; an unreachable collector causes no delay.
func (c *otlpClient) UploadTraces(ctx context.Context, spans []*traces.ResourceSpans) error {
	return c.upload(ctx, &traces.TracesData{ResourceSpans: spans})
}

func (c *otlpClient) upload(ctx context.Context, data proto.Message) error {
	body, err := proto.Marshal(data)
	if err != nil {
		return err
	}
	if c.gzip {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := w.Write(body)
		if err := errors.Join(err, w.Close()); err != nil {
			return err
		}
		body = packed.Bytes()
	}
	ctx, cancel := context.WithTimeout(ctx, retryFor)
	defer cancel()
	go func() {
		select {
		case <-c.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		again, err := c.post(ctx, body)
		if again < 0 || err == nil {
			return err
		}
		wait := time.NewTimer(max(again, pause))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return err
		}
	}
}

// never is the pause before a batch that must not be sent again.
const never = -1

// maxAnswer limits the part of an answer that is read.
const maxAnswer = 64 << 10

// post sends a batch once. After a failure it returns the collector's requested pause
// before the next try: 0 if it requests none, [never] if there must be none.
func (c *otlpClient) post(ctx context.Context, body []byte) (again time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return never, err
	}
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	if c.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return never, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case res.StatusCode/100 == 2:
		if err == nil && res.Header.Get("Content-Type") == "application/x-protobuf" {
			return never, rejected(answer, c.signal.parts)
		}
		return never, err
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode == http.StatusBadGateway,
		res.StatusCode == http.StatusServiceUnavailable, res.StatusCode == http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		again = time.Duration(max(seconds, 0)) * time.Second
	default:
		again = never
	}
	return again, fmt.Errorf("the collector at %s answered %s: %.200s", c.url, res.Status, strings.TrimSpace(string(answer)))
}

// rejected returns the error of an answer that reports dropped parts, such as spans: field
// 1 is {1: their number, 2: the reason}.
func rejected(answer []byte, parts string) error {
	partial, _ := field(answer, 1)
	if partial == nil {
		return nil
	}
	reason, number := field(partial, 2)
	if number == 0 && len(reason) == 0 {
		return nil
	}
	return fmt.Errorf("the collector rejected %d %s: %.200s", number, parts, reason)
}

// field returns the bytes of the field of that number in a message, and the value of
// its field 1 if that is a number.
func field(message []byte, number protowire.Number) (value []byte, first uint64) {
	for len(message) > 0 {
		num, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return value, first
		}
		message = message[n:]
		switch kind {
		case protowire.BytesType:
			v, _ := protowire.ConsumeBytes(message)
			if num == number {
				value = v
			}
		case protowire.VarintType:
			v, _ := protowire.ConsumeVarint(message)
			if num == 1 {
				first = v
			}
		default:
		}
		if n = protowire.ConsumeFieldValue(num, kind, message); n < 0 {
			return value, first
		}
		message = message[n:]
	}
	return value, first
}
