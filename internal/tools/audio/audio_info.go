package audio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type audioInfoArgs struct {
	Path string `json:"path" min:"1" doc:"Audio file to look at, relative to the workspace."`
}

type audioInfoResult struct {
	Path       string  `json:"path"`
	Format     string  `json:"format" doc:"What the file is: mp3, wav, m4a, ogg, flac, ..."`
	Size       int64   `json:"size" doc:"Size of the file in bytes."`
	SizeMB     float64 `json:"sizeMB"`
	Modified   string  `json:"modified"`
	Supported  bool    `json:"supported" doc:"Whether the speech tools take this format."`
	Note       string  `json:"note,omitempty"`
	Duration   string  `json:"duration,omitempty" doc:"Length in words, such as '183 seconds'."`
	Seconds    float64 `json:"durationSeconds,omitempty" doc:"Length in seconds."`
	SampleRate int     `json:"sampleRate,omitempty" doc:"Samples a second."`
	Bitrate    int     `json:"bitrate,omitempty" doc:"Bits a second."`
	Channels   int     `json:"channels,omitempty"`
	Codec      string  `json:"codec,omitempty"`
	Container  string  `json:"container,omitempty"`
	Tags       *tags   `json:"tags,omitempty"`
}

var _ = tool.Add(Set, tool.Spec[audioInfoArgs, *audioInfoResult]{
	Name: "audio_info",
	Description: "Describe an audio file of the workspace without changing it; returns its format, size, duration, sample rate, bitrate, " +
		"channels, codec and tags.",
	Aliases:    []string{"get_audio_info"},
	Tags:       []string{"audio info", "duration", "format", "detail", "sound", "music", "length", "metadata", "mp3", "wav", "bitrate"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles | tool.NeedPrograms,
	Errors:     []tool.Kind{tool.FileNotFound, tool.PathNotAllowed, tool.ExecutionError},
	Example:    `{"path": "tone.wav"}`,
	Timeout:    30 * time.Second,
	Run:        audioInfo,
})

// spoken lists the formats that speech recognition accepts.
var spoken = []string{"mp3", "mp4", "mpeg", "mpga", "m4a", "wav", "webm", "ogg", "flac"}

func audioInfo(ctx context.Context, call *tool.Call, args audioInfoArgs) (*audioInfoResult, error) {
	info, err := inspect(call, args.Path)
	if err != nil {
		return nil, err
	}
	res := &audioInfoResult{
		Path: args.Path, Size: info.Size(), SizeMB: round(float64(info.Size())/(1<<20), 2),
		Modified: info.ModTime().UTC().Format(time.RFC3339),
	}
	s, err := probe(ctx, call, args.Path)
	if err != nil && tool.AsError(err).Kind == tool.NotConfigured {
		if s, err = headerOnly(call, args.Path, info.Size()); s == nil && err == nil {
			res.Note = "Only the file itself was looked at: ffprobe, which reads sound, cannot be run on this worker; " +
				"an operator can install the package ffmpeg."
			s = &sound{}
		}
	}
	if err != nil {
		return nil, err
	}
	res.fill(s)
	return res, nil
}

// headerOnly returns what the header tells without ffprobe, or nil if it tells nothing.
func headerOnly(call *tool.Call, name string, size int64) (*sound, error) {
	f, err := call.Files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := readWAV(f, size)
	if errors.Is(err, errNotWAV) {
		return nil, nil // not a WAV file
	}
	return s, err
}

func (r *audioInfoResult) fill(s *sound) {
	r.Format = formatName(r.Path, s.container)
	r.Supported = slices.Contains(spoken, r.Format)
	r.Container, r.Codec, r.Channels, r.SampleRate, r.Bitrate, r.Tags = s.container, s.codec, s.channels, s.sampleRate, s.bitrate, s.tags
	if s.seconds > 0 {
		r.Seconds = round(s.seconds, 3)
		r.Duration = inSeconds(s.seconds)
	}
}

// formatName returns the common name of a format. If several formats share a container,
// the file's extension decides.
func formatName(name, container string) string {
	ext := strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")
	families := map[string][]string{
		"mov": {"m4a", "mp4", "mov", "m4b", "3gp"}, "matroska": {"webm", "mkv", "mka"}, "mp3": {"mp3", "mpga", "mpeg"},
		"asf": {"wma", "wmv", "asf"}, "ogg": {"ogg"}, "": {ext},
	}
	family, ok := families[container]
	switch {
	case slices.Contains(family, ext):
		return ext
	case ok:
		return family[0]
	default:
		return container
	}
}

// inSeconds formats a length in whole seconds, or with decimals if it is less than one
// second.
func inSeconds(seconds float64) string {
	digits := 0
	if seconds < 1 {
		digits = 3
	}
	return strconv.FormatFloat(round(seconds, digits), 'f', -1, 64) + " seconds"
}

func round(v float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(v*scale) / scale
}

// Present formats the facts about a file as text.
func (r *audioInfoResult) Present(res *tool.Result) {
	var parts []string
	add := func(ok bool, format string, args ...any) {
		if ok {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(r.Format != "", "%s", r.Format)
	add(r.Codec != "", "codec %s", r.Codec)
	add(r.Seconds > 0, "%v seconds long", r.Seconds)
	add(r.SampleRate > 0, "%d Hz", r.SampleRate)
	add(r.Channels > 0, "%d channel(s)", r.Channels)
	add(r.Bitrate > 0, "%d bits a second", r.Bitrate)
	add(true, "%d bytes", r.Size)
	if t := r.Tags; t != nil {
		add(t.Title != "", "title %q", t.Title)
		add(t.Artist != "", "artist %q", t.Artist)
		add(t.Album != "", "album %q", t.Album)
		add(t.Year != 0, "year %d", t.Year)
	}
	res.Text = r.Path + ": " + strings.Join(parts, ", ") + "."
	if r.Note != "" {
		res.Text += " " + r.Note
	}
}
