package console

import (
	"maps"
	"net/http"
	"strings"
)

// opens reports whether a request is that of a browser which opens an address. Below /v1 are
// the items of the API, whose errors say more than a page.
func opens(r *http.Request) bool {
	return !strings.HasPrefix(r.URL.Path, "/v1/") && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// missing passes an answer on, unless its status is 404: then it drops it.
type missing struct {
	http.ResponseWriter

	header          http.Header // of the answer, which may be dropped
	missing, passed bool
}

// Header implements [http.ResponseWriter].
func (m *missing) Header() http.Header { return m.header }

// WriteHeader implements [http.ResponseWriter].
func (m *missing) WriteHeader(status int) {
	if m.missing = m.missing || !m.passed && status == http.StatusNotFound; m.missing {
		return
	}
	if !m.passed {
		maps.Copy(m.ResponseWriter.Header(), m.header)
	}
	m.passed = true
	m.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (m *missing) Write(b []byte) (int, error) {
	if !m.passed && !m.missing {
		m.WriteHeader(http.StatusOK)
	}
	if m.missing {
		return len(b), nil
	}
	return m.ResponseWriter.Write(b)
}

// Unwrap returns the writer for [http.ResponseController].
func (m *missing) Unwrap() http.ResponseWriter { return m.ResponseWriter }
