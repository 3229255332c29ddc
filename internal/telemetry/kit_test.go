package telemetry

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestKitWritesItsLogBeforeItCloses(t *testing.T) {
	var out bytes.Buffer
	kit, err := NewKit(context.Background(), KitOptions{LogLevel: "info", LogFormat: "auto"}, &out)
	if err != nil {
		t.Fatal(err)
	}
	kit.Log.Info("the last line")
	kit.Close(context.Background())
	if got := out.String(); !strings.Contains(got, `"msg":"the last line"`) {
		t.Errorf("after Close the log holds %q, want the last line", got)
	}
}

func TestNewKitRefuses(t *testing.T) {
	_, err := NewKit(context.Background(), KitOptions{LogLevel: "loud", LogFormat: "auto"}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "loud") {
		t.Errorf("NewKit with level loud = %v, want an error that names it", err)
	}
}
