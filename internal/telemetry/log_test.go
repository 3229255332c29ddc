package telemetry

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
)

func TestNewLoggerJSON(t *testing.T) {
	for _, format := range []string{"json", "auto"} {
		var out bytes.Buffer
		log, err := NewLogger("info", format, &out)
		if err != nil {
			t.Fatal(err)
		}
		log.Debug("hidden")
		log.Info("call", zap.String("tool", "read_file"), zap.Duration("ran", 1500*time.Microsecond))
		var line map[string]any
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatalf("format %s: %q is not one line of JSON: %v", format, out.String(), err)
		}
		if _, err := time.Parse(time.RFC3339Nano, line["time"].(string)); err != nil {
			t.Errorf("format %s: time: %v", format, err)
		}
		if line["level"] != "info" || line["msg"] != "call" || line["tool"] != "read_file" || line["ran"] != 0.0015 {
			t.Errorf("format %s: line = %v, want level, msg, tool and ran in seconds", format, line)
		}
	}
}

func TestNewLoggerConsole(t *testing.T) {
	var out bytes.Buffer
	log, err := NewLogger("debug", "console", &out)
	if err != nil {
		t.Fatal(err)
	}
	log.Debug("call", zap.String("tool", "read_file"))
	if got := out.String(); !strings.Contains(got, "DEBUG  call  {\"tool\": \"read_file\"}\n") {
		t.Errorf("console line = %q, want level, message and fields", got)
	}
}

func TestNewLoggerAutoOnDevices(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if isTerminal(file) {
		t.Error("isTerminal(a file) = true, want false")
	}
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	if !isTerminal(device) {
		t.Errorf("isTerminal(%s) = false, want true for a character device", os.DevNull)
	}
}

func TestNewLoggerLevels(t *testing.T) {
	for i, level := range []string{"debug", "info", "warn", "error"} {
		var out bytes.Buffer
		log, err := NewLogger(level, "json", &out)
		if err != nil {
			t.Fatal(err)
		}
		log.Debug("")
		log.Info("")
		log.Warn("")
		log.Error("")
		if got := strings.Count(out.String(), "\n"); got != 4-i {
			t.Errorf("level %s writes %d of 4 lines, want %d", level, got, 4-i)
		}
	}
}

func TestNewLoggerRefuses(t *testing.T) {
	for _, tt := range []struct{ level, format, want string }{
		{"loud", "json", `"loud"`},
		{"", "json", `""`},
		{"panic", "json", `"panic"`},
		{"info", "xml", `"xml"`},
		{"info", "", `""`},
	} {
		if _, err := NewLogger(tt.level, tt.format, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("NewLogger(%q, %q) = %v, want an error with %s", tt.level, tt.format, err, tt.want)
		}
	}
}
