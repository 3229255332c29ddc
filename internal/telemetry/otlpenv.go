package telemetry

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// signal is a kind of telemetry that a collector receives: its path below the base URL,
// its name in variables, and what it consists of.
type signal struct{ path, upper, parts string }

var (
	traceSignal  = signal{"/v1/traces", "TRACES", "spans"}
	metricSignal = signal{"/v1/metrics", "METRICS", "data points"}
)

// otlpSettings configures the connection to a collector.
type otlpSettings struct {
	signal  signal
	url     string
	headers map[string]string
	timeout time.Duration
	gzip    bool
	tls     *tls.Config
}

// otlpFrom reads the settings from the OTEL_EXPORTER_OTLP_* environment. endpoint, if
// set, takes precedence.
func otlpFrom(endpoint string, signal signal) (otlpSettings, error) {
	s := otlpSettings{signal: signal, timeout: 10 * time.Second, headers: map[string]string{}}
	base := func(u string) string {
		return strings.TrimSuffix(strings.TrimSuffix(u, "/"), traceSignal.path) + signal.path
	}
	switch own := os.Getenv("OTEL_EXPORTER_OTLP_" + signal.upper + "_ENDPOINT"); {
	case endpoint != "":
		s.url = base(endpoint)
	case own != "":
		s.url = own
	default:
		s.url = base(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
	}
	if u, err := url.Parse(s.url); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return s, fmt.Errorf("%q is not an http or https URL", s.url)
	}
	if ms := s.env("TIMEOUT"); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil || n <= 0 {
			return s, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT %q is not a number of milliseconds", ms)
		}
		s.timeout = time.Duration(n) * time.Millisecond
	}
	switch packing := s.env("COMPRESSION"); packing {
	case "", "none":
	case "gzip":
		s.gzip = true
	default:
		return s, fmt.Errorf("OTEL_EXPORTER_OTLP_COMPRESSION %q is neither gzip nor none", packing)
	}
	for pair := range strings.SplitSeq(s.env("HEADERS"), ",") {
		name, value, ok := strings.Cut(pair, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			continue
		}
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if err != nil {
			return s, fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS: the value of %s is not percent-encoded: %w", name, err)
		}
		s.headers[name] = value
	}
	return s, s.readCertificates()
}

// readCertificates reads the files of a collector's authority and of a client's own key.
func (s *otlpSettings) readCertificates() error {
	authority, certificate, key := s.env("CERTIFICATE"), s.env("CLIENT_CERTIFICATE"), s.env("CLIENT_KEY")
	if authority == "" && certificate == "" {
		return nil
	}
	s.tls = &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != "" {
		pem, err := os.ReadFile(authority)
		if err != nil {
			return err
		}
		if s.tls.RootCAs = x509.NewCertPool(); !s.tls.RootCAs.AppendCertsFromPEM(pem) {
			return fmt.Errorf("%s holds no certificate", authority)
		}
	}
	if certificate != "" {
		own, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return err
		}
		s.tls.Certificates = []tls.Certificate{own}
	}
	return nil
}

// env returns a variable for the signal, or otherwise the one for all signals.
func (s *otlpSettings) env(name string) string {
	if value := os.Getenv("OTEL_EXPORTER_OTLP_" + s.signal.upper + "_" + name); value != "" {
		return value
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_" + name)
}
