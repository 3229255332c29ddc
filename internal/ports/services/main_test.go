package services

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// write makes a file of text, left alone for as long as the age says. The times
// of files are those of the system, a bubble's are of another year.
func write(t *testing.T, path, text string, age time.Duration) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// open opens a center of text and collects what it reports.
func open(t *testing.T, text string) (c *Center, path string, reports *[]error) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "services.yaml")
	write(t, path, text, time.Hour)
	c, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	reports = new([]error)
	c.Report(func(err error) { *reports = append(*reports, err) })
	return c, path, reports
}

// labels returns what a user gets of a service, each as label=data.
func labels(t *testing.T, c *Center, tenant, user, service string) string {
	t.Helper()
	entries, err := c.For(tenant, user).Entries(t.Context(), service)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, e := range entries {
		text += fmt.Sprintf("%s%s:%s;", e.Label, map[bool]string{true: "!", false: ""}[e.Default], e.Data["k"])
	}
	return text
}

func one(value string) string { return fmt.Sprintf("- service: s\n  data: {k: %s}\n", value) }

func joined(errs []error) string {
	if err := errors.Join(errs...); err != nil {
		return err.Error()
	}
	return ""
}
