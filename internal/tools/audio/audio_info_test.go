package audio

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// described is a result as a caller decodes it.
type described struct {
	Format, Duration, Codec, Container, Note string
	Supported                                bool
	Seconds                                  float64 `json:"durationSeconds"`
	SampleRate, Bitrate, Channels            int
	Tags                                     *tags
}

func describe(t *testing.T, res tool.Result) (d described) {
	t.Helper()
	if err := json.Unmarshal(res.Value, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAudioInfo(t *testing.T) {
	needFFmpeg(t)
	b := newBench(t, "")
	b.write(t, "tone.wav", tone(3))
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	if err := os.Chtimes(filepath.Join(b.dir, "tone.wav"), when, when); err != nil {
		t.Fatal(err)
	}
	b.write(t, "short.wav", tone(0.25))
	for _, name := range []string{"t.flac", "t.m4a", "t.webm", "t.aiff", "t.wma"} {
		b.convert(t, "tone.wav", name)
	}
	b.convert(t, "tone.wav", "stereo.ogg", "-ac", "2", "-c:a", "libvorbis", "-metadata", "title=Ode", "-metadata", "artist=Ludwig",
		"-metadata", "date=1824-05-07")
	b.convert(t, "tone.wav", "t.mp3", "-metadata", "title=Ode", "-metadata", "album="+strings.Repeat("x", 600), "-b:a", "32k")
	b.convert(t, "tone.wav", "silent.mp4", "-f", "lavfi", "-i", "color=size=16x16:rate=1:duration=1", "-map", "1:v")
	mp3, err := os.ReadFile(filepath.Join(b.dir, "t.mp3"))
	if err != nil {
		t.Fatal(err)
	}
	b.write(t, "wrong.wav", string(mp3))
	about := func(format, codec string) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) {
			if d := describe(t, res); d.Format != format || d.Codec != codec || d.Seconds < 2.95 || d.Seconds > 3.2 || d.Duration != "3 seconds" ||
				d.Channels != 1 || d.SampleRate == 0 {
				t.Errorf("result %s, want 3 s of %s in %s", res.Value, codec, format)
			}
		}
	}
	cases := []tooltest.Case{
		{
			Name: "wav", Args: `{"path":"tone.wav"}`,
			Want:     `{"path":"tone.wav","format":"wav","size":48044,"sizeMB":0.05,"modified":"2026-01-02T02:04:05Z","supported":true,"duration":"3 seconds","durationSeconds":3,"sampleRate":8000,"bitrate":128000,"channels":1,"codec":"pcm_s16le","container":"wav"}`,
			WantText: "tone.wav: wav, codec pcm_s16le, 3 seconds long, 8000 Hz, 1 channel(s), 128000 bits a second, 48044 bytes.",
		},
		{Name: "short", Args: `{"path":"short.wav"}`,
			WantText: "short.wav: wav, codec pcm_s16le, 0.25 seconds long, 8000 Hz, 1 channel(s), 128000 bits a second, 4044 bytes.",
			Check: func(t *testing.T, res tool.Result) {
				if d := describe(t, res); d.Duration != "0.25 seconds" || !d.Supported || d.Container != "wav" {
					t.Errorf("result %s", res.Value)
				}
			}},
		{Name: "mp3", Args: `{"path":"t.mp3"}`, Check: about("mp3", "mp3")},
		{Name: "flac", Args: `{"path":"t.flac"}`, Check: about("flac", "flac")},
		{Name: "m4a", Args: `{"path":"t.m4a"}`, Check: about("m4a", "aac")},
		{Name: "webm", Args: `{"path":"t.webm"}`, Check: about("webm", "opus")},
		{Name: "aiff", Args: `{"path":"t.aiff"}`, Check: about("aiff", "pcm_s16be")},
		{Name: "wma", Args: `{"path":"t.wma"}`, Check: about("wma", "wmav2")},
		{Name: "contents decide, not the name", Args: `{"path":"wrong.wav"}`, Check: about("mp3", "mp3")},
		{Name: "not supported by speech", Args: `{"path":"t.aiff"}`, Check: func(t *testing.T, res tool.Result) {
			if describe(t, res).Supported {
				t.Errorf("result %s says that aiff is supported", res.Value)
			}
		}},
		{Name: "tags", Args: `{"path":"stereo.ogg"}`, Check: func(t *testing.T, res tool.Result) {
			d := describe(t, res)
			if d.Tags == nil || *d.Tags != (tags{Title: "Ode", Artist: "Ludwig", Year: 1824}) || d.Channels != 2 {
				t.Errorf("result %s", res.Value)
			}
		}},
		{Name: "long tags", Args: `{"path":"t.mp3"}`, Check: func(t *testing.T, res tool.Result) {
			if d := describe(t, res); d.Tags == nil || d.Tags.Album != strings.Repeat("x", 500)+"…" {
				t.Errorf("result %s", res.Value)
			}
		}},
		{Name: "no sound", Args: `{"path":"silent.mp4"}`, Fails: tool.ValidationError, Message: "holds no sound"},
		{Name: "missing", Args: `{"path":"no.wav"}`, Fails: tool.FileNotFound},
		{Name: "outside", Args: `{"path":"../../x.wav"}`, Fails: tool.PathNotAllowed},
		{Name: "directory", Args: `{"path":"."}`, Fails: tool.ValidationError},
		{Name: "no path", Args: `{}`, Fails: tool.ValidationError, Message: "path"},
		{Name: "empty path", Args: `{"path":""}`, Fails: tool.ValidationError},
	}
	for _, name := range odd {
		b.write(t, name, tone(3))
		cases = append(cases, tooltest.Case{Name: "named " + name, Args: fmt.Sprintf(`{"path":%q}`, name), Check: about("wav", "pcm_s16le")})
	}
	tooltest.Run(t, Set, "audio_info", b.call, cases)
}

// No file makes ffprobe open another one.
func TestAudioInfoTraps(t *testing.T) {
	needFFmpeg(t)
	b := newBench(t, "")
	b.write(t, "tone.wav", tone(3))
	b.write(t, "../secret.wav", tone(3))
	var cases []tooltest.Case
	for name, text := range traps(b.dir) {
		b.write(t, name, text)
		cases = append(cases, tooltest.Case{
			Name:    name,
			Args:    fmt.Sprintf(`{"path":%q}`, name),
			Fails:   tool.ValidationError,
			Message: "is not an audio file",
		})
	}
	if err := os.Symlink("../secret.wav", filepath.Join(b.dir, "link.wav")); err != nil {
		t.Fatal(err)
	}
	cases = append(cases, tooltest.Case{Name: "a link out", Args: `{"path":"link.wav"}`, Fails: tool.PathNotAllowed})
	tooltest.Run(t, Set, "audio_info", b.call, cases)
}

// Without ffprobe a WAV file is still described, and other files are described as
// files.
func TestAudioInfoWithoutPrograms(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.write(t, "tone.wav", tone(3))
	b.write(t, "song.mp3", "ID3\x03\x00")
	tooltest.Run(t, Set, "audio_info", b.call, []tooltest.Case{
		{Name: "wav", Args: `{"path":"tone.wav"}`, Check: func(t *testing.T, res tool.Result) {
			if d := describe(t, res); d.Seconds != 3 || d.Codec != "pcm_s16le" || d.SampleRate != rate || d.Bitrate != 16*rate || d.Channels != 1 ||
				d.Note != "" {
				t.Errorf("result %s", res.Value)
			}
		}},
		{Name: "mp3", Args: `{"path":"song.mp3"}`, Check: func(t *testing.T, res tool.Result) {
			if d := describe(t, res); d.Format != "mp3" || !d.Supported || !strings.Contains(d.Note, "install the package ffmpeg") ||
				d.Duration != "" {
				t.Errorf("result %s", res.Value)
			}
		}},
	})
}

// killed returns a worker on which every program fails.
type killed struct{ tool.Programs }

func (killed) Run(context.Context, tool.Program) (tool.Ran, error) {
	return tool.Ran{Code: -1, Signal: "killed"}, nil
}

func TestAudioInfoKilled(t *testing.T) {
	b := newBench(t, "")
	b.write(t, "tone.wav", tone(1))
	b.call.Programs = killed{}
	tooltest.Run(t, Set, "audio_info", b.call, []tooltest.Case{
		{Name: "killed", Args: `{"path":"tone.wav"}`, Fails: tool.ExecutionError, Message: "could not be examined"},
	})
}

func TestProbeAnswers(t *testing.T) {
	const vorbis = `{"streams":[{"codec_name":"vorbis","bit_rate":"112000"}],"format":{"nb_streams":%d,"bit_rate":"64123"}}`
	for streams, want := range map[int]int{1: 64123, 2: 112000} {
		if s, err := parseProbe(fmt.Appendf(nil, vorbis, streams), "x"); err != nil || s.bitrate != want {
			t.Errorf("Vorbis among %d streams: %+v, %v, want %d bits a second", streams, s, err, want)
		}
	}
	for _, tt := range []struct {
		answer string
		kind   tool.Kind
	}{
		{`{`, tool.ExecutionError},
		{`{"streams":[],"format":{}}`, tool.ValidationError},
		{`{"streams":[{"codec_name":"mp3","sample_rate":"-1","bit_rate":"N/A","duration":"nan"}],"format":{"duration":"1e300"}}`, ""},
	} {
		s, err := parseProbe([]byte(tt.answer), "x")
		switch failure := tool.AsError(err); {
		case tt.kind != "" && (failure == nil || failure.Kind != tt.kind):
			t.Errorf("%s: error %v, want %s", tt.answer, err, tt.kind)
		case tt.kind == "" && (err != nil || s.seconds != 0 || s.sampleRate != 0 || s.bitrate != 0):
			t.Errorf("%s: %+v, %v", tt.answer, s, err)
		}
	}
}
