package message

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/testmutate"
)

// TestMutated: no mail ends the process, or is read without end.
func TestMutated(t *testing.T) {
	t.Parallel()
	seeds := [][]byte{
		[]byte(strings.ReplaceAll(everything, "\n", "\r\n")),
		[]byte("From: a@example.com\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\nPHA+eDwvcD4=\r\n"),
	}
	testmutate.Each(t, testmutate.Count, seeds, func(data []byte) {
		_, _ = Read(bytes.NewReader(data), func(_ string, contents io.Reader) (string, error) {
			_, err := io.Copy(io.Discard, contents)
			return "x", err
		})
	})
}
