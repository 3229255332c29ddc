package audio

import (
	"bytes"
	"strings"
	"testing"
)

func TestReadWAV(t *testing.T) {
	whole := tone(1)
	for _, tt := range []struct {
		name, data string
		seconds    float64
		codec      string
	}{
		{"whole", whole, 1, "pcm_s16le"},
		{"cut off", whole[:44+rate], 0.5, "pcm_s16le"},
		{"without a length", strings.Replace(whole, "data\x80>\x00\x00", "data\xff\xff\xff\xff", 1), 1, "pcm_s16le"},
		{"with another chunk", whole[:36] + "LIST\x03\x00\x00\x00abc\x00" + whole[36:], 1, "pcm_s16le"},
		{"8 bits", wav(1, 8, make([]byte, rate)), 1, "pcm_u8"},
		{"float", wav(3, 32, make([]byte, 4*rate)), 1, "pcm_f32le"},
		{"alaw", wav(6, 8, make([]byte, rate)), 1, "pcm_alaw"},
		{"mulaw", wav(7, 8, make([]byte, rate)), 1, "pcm_mulaw"},
		{"other", wav(0x55, 8, make([]byte, rate)), 1, ""},
	} {
		s, err := readWAV(strings.NewReader(tt.data), int64(len(tt.data)))
		if err != nil || s.seconds != tt.seconds || s.codec != tt.codec {
			t.Errorf("%s: %+v, %v, want %v s of %q", tt.name, s, err, tt.seconds, tt.codec)
		}
	}
	for _, data := range []string{
		"", "RIFF", "hello, world, hello", whole[:12], whole[:30], whole[:36], "RIFF\x00\x00\x00\x00WAVEdata\x00\x00\x00\x00",
		strings.Replace(whole, "fmt \x10", "fmt \x01", 1),
	} {
		if s, err := readWAV(strings.NewReader(data), int64(len(data))); err == nil {
			t.Errorf("%q: %+v, want an error", data, s)
		}
	}
}

func FuzzReadWAV(f *testing.F) {
	f.Add([]byte(tone(0.01)))
	f.Add([]byte("RIFF\x00\x00\x00\x00WAVEfmt \xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := readWAV(bytes.NewReader(data), int64(len(data)))
		if err == nil && (s.seconds < 0 || s.seconds > float64(len(data))) {
			t.Errorf("%v s of sound in %d bytes", s.seconds, len(data))
		}
	})
}
