package audio

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// measured holds the real length and contents of a file.
func (b *bench) measured(t *testing.T, name string) (seconds float64, codec string) {
	t.Helper()
	out, err := exec.Command("ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries", "stream=codec_name:format=duration",
		filepath.Join(b.dir, name)).Output()
	if err != nil {
		t.Fatalf("ffprobe %s: %v", name, err)
	}
	lines := strings.Fields(string(out))
	seconds, err = strconv.ParseFloat(lines[len(lines)-1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return seconds, lines[0]
}

// wantParts checks the segments that a result names: their lengths within slack, that
// nothing is lost between them, and that no other files remain.
func (b *bench) wantParts(t *testing.T, res tool.Result, codec string, slack float64, want map[string]float64) {
	t.Helper()
	var got splitAudioResult
	if err := json.Unmarshal(res.Value, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Segments) != len(want) || got.Count != len(want) || got.Total != len(want) || len(got.SplitPoints) != len(want)-1 {
		t.Errorf("result %s, want %d segments", res.Value, len(want))
	}
	end := 0.0
	for _, s := range got.Segments {
		length, ok := want[s.Path]
		seconds, holds := b.measured(t, s.Path)
		if !ok || math.Abs(seconds-length) > slack || math.Abs(s.Duration-length) > slack || holds != codec {
			t.Errorf("%s holds %v s of %s and is said to hold %v s, want %v s of %s", s.Path, seconds, holds, s.Duration, length, codec)
		}
		if math.Abs(s.Start-end) > 0.001 {
			t.Errorf("%s begins at %v, the one before ends at %v", s.Path, s.Start, end)
		}
		end = s.End
		info, err := os.Stat(filepath.Join(b.dir, s.Path))
		if err != nil || info.Size() != s.Size {
			t.Errorf("%s: %v, %v, want %d bytes", s.Path, info, err, s.Size)
		}
	}
	left, _ := filepath.Glob(filepath.Join(b.dir, got.OutputDir, ".split-*"))
	if len(left) > 0 {
		t.Errorf("%v was left behind", left)
	}
}

func TestSplitAudio(t *testing.T) {
	needFFmpeg(t)
	b := newBench(t, "")
	b.write(t, "tone.wav", tone(3))
	b.write(t, "talks/a.wav", tone(3))
	b.write(t, "taken_002.wav", "precious")
	b.write(t, "taken.wav", tone(3))
	b.write(t, "alaw.wav", wav(6, 8, make([]byte, 3*rate)))
	for _, name := range []string{"t.mp3", "t.flac", "t.m4a", "t.webm", "t.aiff", "t.wma", "t.opus"} {
		b.convert(t, "tone.wav", name)
	}
	b.convert(t, "tone.wav", "t.ogg", "-c:a", "libvorbis")
	b.convert(t, "tone.wav", "film.mp4", "-f", "lavfi", "-i", "color=size=16x16:rate=5:duration=3", "-map", "0:a", "-map", "1:v",
		"-c:a", "aac")
	parts := func(codec string, slack float64, want map[string]float64) func(*testing.T, tool.Result) {
		return func(t *testing.T, res tool.Result) { b.wantParts(t, res, codec, slack, want) }
	}
	const exact, frames = 0.001, 0.2 // a frame of an MP3 at this rate is 72 ms, and its encoder adds two
	tooltest.Run(t, Set, "split_audio", b.call, []tooltest.Case{
		{Name: "points", Args: `{"path":"tone.wav","splitPoints":[1,2.2503]}`, Check: func(t *testing.T, res tool.Result) {
			b.wantParts(t, res, "pcm_s16le", exact, map[string]float64{"tone_001.wav": 1, "tone_002.wav": 1.25025, "tone_003.wav": 0.74975})
			for _, want := range []string{
				`{"source":"tone.wav","splitPoints":[1,2.25],"outputDir":".","format":"wav","requiresFFmpeg":true,"note":"The file was cut at exactly these points."`,
				`"command":"ffmpeg -i './tone.wav' -f segment -segment_times 1,2.2503 -c:a pcm_s16le './tone_%03d.wav'"`,
				`{"path":"tone_001.wav","start":0,"end":1,"duration":1,"size":16078}`, `"total":3,"count":3,"truncated":false}`,
			} {
				if !strings.Contains(string(res.Value), want) {
					t.Errorf("result %s, want it to hold %s", res.Value, want)
				}
			}
		}},
		{Name: "a point at the end", Args: `{"path":"tone.wav","splitPoints":[1,2.96],"outputDir":"end"}`,
			Check: func(t *testing.T, res tool.Result) {
				b.wantParts(t, res, "pcm_s16le", exact, map[string]float64{"end/tone_001.wav": 1, "end/tone_002.wav": 2})
				if want := `"note":"The file was cut at exactly these points. There is no cut at 2.96 s, because the file ends less than 0.05 s after it."`; !strings.Contains(string(res.Value), want) {
					t.Errorf("result %s, want it to hold %s", res.Value, want)
				}
			}},
		{Name: "an absurd length", Args: `{"path":"tone.wav","splitPoints":1e30}`, Fails: tool.ValidationError, Message: "1e+30"},
		{Name: "length", Args: `{"path":"talks/a.wav","splitPoints":2}`, Check: func(t *testing.T, res tool.Result) {
			b.wantParts(t, res, "pcm_s16le", exact, map[string]float64{"talks/a_001.wav": 2, "talks/a_002.wav": 1})
			if !strings.Contains(string(res.Value), `"segmentDuration":"2 seconds"`) || !strings.Contains(string(res.Value), `"outputDir":"talks"`) {
				t.Errorf("result %s", res.Value)
			}
		}},
		{
			Name: "longer than the file", Args: `{"path":"tone.wav","splitPoints":600,"outputDir":"whole"}`,
			Check: parts("pcm_s16le", exact, map[string]float64{"whole/tone_001.wav": 3}),
		},
		{
			Name: "mp3 longer than the file", Args: `{"path":"t.mp3","splitPoints":600,"outputDir":"whole"}`,
			Check: parts("mp3", frames, map[string]float64{"whole/t_001.mp3": 3}),
		},
		{
			Name: "a list as text", Args: `{"path":"tone.wav","splitPoints":"[\"0:01\"]","outputDir":"text/deep"}`,
			Check: parts("pcm_s16le", exact, map[string]float64{"text/deep/tone_001.wav": 1, "text/deep/tone_002.wav": 2}),
		},
		{Name: "mp3", Args: `{"path":"t.mp3","splitPoints":[1,2]}`, Check: func(t *testing.T, res tool.Result) {
			b.wantParts(t, res, "mp3", frames, map[string]float64{"t_001.mp3": 1, "t_002.mp3": 1, "t_003.mp3": 1})
			if !strings.Contains(string(res.Value), "The sound was copied as it is") {
				t.Errorf("result %s", res.Value)
			}
		}},
		{
			Name: "flac", Args: `{"path":"t.flac","splitPoints":[1.0001]}`,
			Check: parts("flac", exact, map[string]float64{"t_001.flac": 1.0001, "t_002.flac": 1.9999}),
		},
		{
			Name: "m4a", Args: `{"path":"t.m4a","splitPoints":[1]}`, Check: parts("aac", frames, map[string]float64{"t_001.m4a": 1, "t_002.m4a": 2}),
		},
		{
			Name: "ogg", Args: `{"path":"t.ogg","splitPoints":[1]}`,
			Check: parts("vorbis", frames, map[string]float64{"t_001.ogg": 1, "t_002.ogg": 2}),
		},
		{
			Name: "opus in webm", Args: `{"path":"t.webm","splitPoints":[1],"outputDir":"w"}`,
			Check: parts("opus", frames, map[string]float64{"w/t_001.ogg": 1, "w/t_002.ogg": 2}),
		},
		{
			Name: "film", Args: `{"path":"film.mp4","splitPoints":[1]}`,
			Check: parts("aac", frames, map[string]float64{"film_001.m4a": 1, "film_002.m4a": 2}),
		},
		{
			Name: "aiff", Args: `{"path":"t.aiff","splitPoints":[1]}`,
			Check: parts("pcm_s16le", exact, map[string]float64{"t_001.wav": 1, "t_002.wav": 2}),
		},
		{
			Name: "alaw", Args: `{"path":"alaw.wav","splitPoints":[1]}`,
			Check: parts("pcm_alaw", exact, map[string]float64{"alaw_001.wav": 1, "alaw_002.wav": 2}),
		},
		{
			Name: "what nothing keeps becomes mp3", Args: `{"path":"t.wma","splitPoints":[1],"outputDir":"wma"}`,
			Check: parts("mp3", frames, map[string]float64{"wma/t_001.mp3": 1, "wma/t_002.mp3": 2}),
		},
		{
			Name: "wav to mp3", Args: `{"path":"tone.wav","splitPoints":[1],"format":"mp3"}`,
			Check: parts("mp3", frames, map[string]float64{"tone_001.mp3": 1, "tone_002.mp3": 2}),
		},
		{
			Name: "mp3 to wav", Args: `{"path":"t.mp3","splitPoints":[1],"format":"wav","outputDir":"c"}`,
			Check: parts("pcm_s16le", frames, map[string]float64{"c/t_001.wav": 1, "c/t_002.wav": 2}),
		},
		{
			Name: "m4a to ogg", Args: `{"path":"t.m4a","splitPoints":[1],"format":"ogg","outputDir":"c"}`,
			Check: parts("vorbis", frames, map[string]float64{"c/t_001.ogg": 1, "c/t_002.ogg": 2}),
		},
		{
			Name: "directory like a pattern", Args: `{"path":"t.mp3","splitPoints":[1],"outputDir":"100%d o'clock"}`,
			Check: parts("mp3", frames, map[string]float64{"100%d o'clock/t_001.mp3": 1, "100%d o'clock/t_002.mp3": 2}),
		},

		{Name: "taken", Args: `{"path":"taken.wav","splitPoints":[1]}`, Fails: tool.ValidationError, Message: "taken_002.wav is there already"},
		{
			Name: "taken, but asked", Args: `{"path":"taken.wav","splitPoints":[1],"overwrite":true}`,
			Check: parts("pcm_s16le", exact, map[string]float64{"taken_001.wav": 1, "taken_002.wav": 2}),
		},
		{Name: "beyond the end", Args: `{"path":"tone.wav","splitPoints":[1,4]}`, Fails: tool.ValidationError, Message: "the file ends at 3 s"},
		{Name: "negative", Args: `{"path":"tone.wav","splitPoints":[-1]}`, Fails: tool.ValidationError, Message: "no point in time"},
		{
			Name: "unordered", Args: `{"path":"tone.wav","splitPoints":[2,1],"outputDir":"u"}`,
			Check: parts("pcm_s16le", exact, map[string]float64{"u/tone_001.wav": 1, "u/tone_002.wav": 1, "u/tone_003.wav": 1}),
		},
		{Name: "too many", Args: `{"path":"tone.wav","splitPoints":0.005}`, Fails: tool.ValidationError},
		{Name: "nothing", Args: `{"path":"tone.wav"}`, Fails: tool.ValidationError, Message: "splitPoints"},
		{Name: "null", Args: `{"path":"tone.wav","splitPoints":null}`, Fails: tool.ValidationError, Message: "splitPoints"},
		{Name: "no path", Args: `{"splitPoints":1}`, Fails: tool.ValidationError, Message: "path"},
		{Name: "unknown format", Args: `{"path":"tone.wav","splitPoints":1,"format":"exe"}`, Fails: tool.ValidationError, Message: "format"},
		{Name: "missing", Args: `{"path":"no.wav","splitPoints":1}`, Fails: tool.FileNotFound},
		{Name: "outside", Args: `{"path":"../x.wav","splitPoints":1}`, Fails: tool.PathNotAllowed},
		{Name: "out of it", Args: `{"path":"tone.wav","splitPoints":1,"outputDir":"../x"}`, Fails: tool.PathNotAllowed},
		{Name: "into a file", Args: `{"path":"tone.wav","splitPoints":1,"outputDir":"tone.wav"}`, Fails: tool.ValidationError},
	})
	if text, err := os.ReadFile(filepath.Join(b.dir, "tone_001.wav")); err != nil || len(text) == 0 {
		t.Errorf("tone_001.wav: %v", err)
	}
}

func TestSplitAudioOddNames(t *testing.T) {
	needFFmpeg(t)
	b := newBench(t, "")
	var cases []tooltest.Case
	for i, name := range odd {
		if i%2 == 1 && i < len(odd)-1 {
			continue // audio_info, which names files in the same way, tests all of them
		}
		b.write(t, name, tone(1))
		stem := strings.TrimSuffix(name, ".wav")
		if dir, base := filepath.Split(stem); strings.Contains(base, ".") && dir == "" {
			stem = strings.TrimSuffix(base, filepath.Ext(base))
		}
		cases = append(cases,
			tooltest.Case{Name: name, Args: fmt.Sprintf(`{"path":%q,"splitPoints":[0.5]}`, name), Check: func(t *testing.T, res tool.Result) {
				b.wantParts(t, res, "pcm_s16le", 0.001, map[string]float64{stem + "_001.wav": 0.5, stem + "_002.wav": 0.5})
			}})
	}
	tooltest.Run(t, Set, "split_audio", b.call, cases)
}

func TestSplitAudioTraps(t *testing.T) {
	needFFmpeg(t)
	b := newBench(t, "")
	b.write(t, "tone.wav", tone(3))
	b.write(t, "../secret.wav", tone(3))
	var cases []tooltest.Case
	for name, text := range traps(b.dir) {
		b.write(t, name, text)
		cases = append(cases, tooltest.Case{
			Name:    name,
			Args:    fmt.Sprintf(`{"path":%q,"splitPoints":1}`, name),
			Fails:   tool.ValidationError,
			Message: "is not an audio file",
		})
	}
	tooltest.Run(t, Set, "split_audio", b.call, cases)
	if made, _ := filepath.Glob(filepath.Join(b.dir, "*_001*")); len(made) > 0 {
		t.Errorf("made %v of what is no sound", made)
	}
}

func TestSplitAudioWithoutPrograms(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.write(t, "tone.wav", tone(1))
	tooltest.Run(t, Set, "split_audio", b.call, []tooltest.Case{
		{Name: "no programs", Args: `{"path":"tone.wav","splitPoints":0.5}`, Fails: tool.NotConfigured, Message: "ffprobe"},
	})
	b.call.Programs = killed{}
	tooltest.Run(t, Set, "split_audio", b.call, []tooltest.Case{
		{Name: "killed", Args: `{"path":"tone.wav","splitPoints":0.5}`, Fails: tool.ExecutionError, Message: "could not be examined"},
	})
}

// Sound that would fill the disk when decoded is not decoded.
func TestAffordable(t *testing.T) {
	long := &sound{seconds: 100_000, sampleRate: 48_000, channels: 2}
	if err := planFor("mp3", "wav").affordable(long); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.FileTooLarge {
		t.Errorf("a day of sound as WAV: error %v, want %s", err, tool.FileTooLarge)
	}
	if err := planFor("mp3", "").affordable(long); err != nil {
		t.Errorf("a day of sound as it is: %v", err)
	}
}

// An attempt that died leaves a directory. The next attempt clears it, and a failed
// attempt leaves none.
func TestCutterClears(t *testing.T) {
	b := newBench(t, "")
	b.write(t, ".split-x/old", "x")
	c := &cutter{call: &b.call, dir: ".split-x"}
	if err := c.begin(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(b.dir, ".split-x/old")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was left: %v", err)
	}
	c.clear()
	if _, err := os.Stat(filepath.Join(b.dir, ".split-x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory: %v", err)
	}
}

func TestReadList(t *testing.T) {
	for _, text := range []string{"", "a,b,c\n", "a,1\n", "a,1,x\n", "\"a\n"} {
		if parts, err := readList(strings.NewReader(text), "d"); err == nil {
			t.Errorf("%q: %v, want an error", text, parts)
		}
	}
}
