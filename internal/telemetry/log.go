package telemetry

import (
	"fmt"
	"io"
	"os"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// NewLogger returns a logger that writes entries of level (debug, info, warn or error)
// and above to w, one per line, without sampling. format is json, console, or auto:
// console if w is a terminal, otherwise JSON. In JSON durations are seconds. Writes to
// w are serialised.
func NewLogger(level, format string, w io.Writer) (*zap.Logger, error) {
	var least zapcore.Level
	switch level {
	case "debug", "info", "warn", "error":
		if err := least.Set(level); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("log level %q is not known; use debug, info, warn or error", level)
	}
	var encoder zapcore.Encoder
	switch {
	case format == "console", format == "auto" && isTerminal(w):
		encoder = consoleEncoder()
	case format == "json", format == "auto":
		encoder = jsonEncoder()
	default:
		return nil, fmt.Errorf("log format %q is not known; use auto, json or console", format)
	}
	out := zapcore.Lock(zapcore.AddSync(w))
	return zap.New(zapcore.NewCore(encoder, out, least), zap.ErrorOutput(out)), nil
}

// isTerminal treats any character device as a terminal, which is wrong only for devices
// like /dev/null.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func jsonEncoder() zapcore.Encoder {
	return zapcore.NewJSONEncoder(zapcore.EncoderConfig{
		TimeKey:        "time",
		LevelKey:       "level",
		NameKey:        "logger",
		MessageKey:     "msg",
		EncodeTime:     zapcore.RFC3339NanoTimeEncoder,
		EncodeLevel:    zapcore.LowercaseLevelEncoder,
		EncodeDuration: zapcore.SecondsDurationEncoder,
	})
}

func consoleEncoder() zapcore.Encoder {
	return zapcore.NewConsoleEncoder(zapcore.EncoderConfig{
		TimeKey:          "time",
		LevelKey:         "level",
		NameKey:          "logger",
		MessageKey:       "msg",
		EncodeTime:       zapcore.TimeEncoderOfLayout("15:04:05.000"),
		EncodeLevel:      zapcore.CapitalLevelEncoder,
		EncodeDuration:   zapcore.StringDurationEncoder,
		ConsoleSeparator: "  ",
	})
}
