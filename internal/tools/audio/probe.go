package audio

import (
	"context"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// containers lists the formats that are opened, by ffmpeg's names. None of them can
// refer ffmpeg to another file or to the network.
const containers = "aac,ac3,aiff,amr,ape,asf,au,avi,caf,dsf,eac3,flac,matroska,mov,mp3,mpc,mpc8,mpeg,mpegts,ogg,tta,voc,w64,wav,wv"

// sound holds what is known about a sound file.
type sound struct {
	container  string // short: mp3, wav, ogg, mov, matroska, …
	codec      string
	seconds    float64 // 0 if unknown
	sampleRate int
	bitrate    int
	channels   int
	tags       *tags
}

// tags holds what a file states about its contents.
type tags struct {
	Title  string `json:"title,omitempty"`
	Artist string `json:"artist,omitempty"`
	Album  string `json:"album,omitempty"`
	Year   int    `json:"year,omitempty"`
}

// inspect checks that a file is in the workspace, and describes it.
func inspect(call *tool.Call, name string) (fs.FileInfo, error) {
	f, err := call.Files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}

// argument returns a path of the workspace in a form that a program cannot take for an
// option or an address.
func argument(name string) string { return "file:./" + path.Clean(name) }

// input returns the arguments with which ffmpeg and ffprobe open this file and no
// other.
func input(name string) []string {
	return []string{"-protocol_whitelist", "file", "-format_whitelist", containers, "-i", argument(name)}
}

// probe asks ffprobe what a file holds.
func probe(ctx context.Context, call *tool.Call, name string) (*sound, error) {
	const most = 8 << 20
	ran, err := call.Programs.Run(ctx, tool.Program{
		Name: "ffprobe",
		Args: append([]string{
			"-hide_banner", "-v", "error", "-of", "json", "-select_streams", "a:0",
			"-show_entries",
			"format=format_name,nb_streams,duration,bit_rate:format_tags:stream=codec_name,sample_rate,channels,bit_rate,duration:stream_tags",
		}, input(name)...),
		MaxOutput: most, ReadOnly: true, Memory: 1 << 30,
	})
	switch {
	case err != nil:
		return nil, err
	case ran.Signal != "" || ran.StdoutCut > 0:
		return nil, tool.Fail(tool.ExecutionError,
			"The file could not be examined: it is damaged or holds too much metadata; use another copy of it.")
	case ran.Code != 0:
		return nil, tool.Fail(tool.ValidationError, "%s is not an audio file, or is damaged or in a format that cannot be read.", path.Base(name))
	}
	return parseProbe(ran.Stdout, path.Base(name))
}

// probed holds the part of ffprobe's answer that is used.
type probed struct {
	Streams []struct {
		CodecName  string            `json:"codec_name"`
		SampleRate string            `json:"sample_rate"`
		Channels   int               `json:"channels"`
		BitRate    string            `json:"bit_rate"`
		Duration   string            `json:"duration"`
		Tags       map[string]string `json:"tags"`
	} `json:"streams"`
	Format struct {
		FormatName string            `json:"format_name"`
		Streams    int               `json:"nb_streams"`
		Duration   string            `json:"duration"`
		BitRate    string            `json:"bit_rate"`
		Tags       map[string]string `json:"tags"`
	} `json:"format"`
}

func parseProbe(answer []byte, base string) (*sound, error) {
	var p probed
	if err := json.Unmarshal(answer, &p); err != nil {
		return nil, tool.Fail(tool.ExecutionError, "The file could not be examined; use another copy of it.").Because(err)
	}
	if len(p.Streams) == 0 {
		return nil, tool.Fail(tool.ValidationError, "%s holds no sound.", base)
	}
	st := p.Streams[0]
	rates := []string{st.BitRate, p.Format.BitRate}
	if st.CodecName == "vorbis" && p.Format.Streams == 1 {
		slices.Reverse(rates) // the encoder's target only; the real rate follows from the size
	}
	container, _, _ := strings.Cut(p.Format.FormatName, ",")
	return &sound{
		container: container, codec: st.CodecName, channels: st.Channels,
		seconds:    positive(st.Duration, p.Format.Duration),
		sampleRate: int(positive(st.SampleRate)), bitrate: int(positive(rates...)),
		tags: readTags(p.Format.Tags, st.Tags),
	}, nil
}

// positive returns the first positive number of its arguments.
func positive(numbers ...string) float64 {
	for _, s := range numbers {
		if v, err := strconv.ParseFloat(s, 64); err == nil && v > 0 && v < 1e12 {
			return v
		}
	}
	return 0
}

// readTags picks the tags to show; formats differ in the spelling of tag names.
func readTags(maps ...map[string]string) *tags {
	find := func(names ...string) string {
		for _, name := range names {
			for _, m := range maps {
				for key, value := range m {
					if strings.EqualFold(key, name) && strings.TrimSpace(value) != "" {
						return clip(value)
					}
				}
			}
		}
		return ""
	}
	t := tags{Title: find("title"), Artist: find("artist", "author"), Album: find("album")}
	digits := func(r rune) bool { return r < '0' || r > '9' }
	years := strings.FieldsFunc(find("year", "date", "TDRC", "TYER"), digits)
	if i := slices.IndexFunc(years, func(s string) bool { return len(s) == 4 }); i >= 0 {
		t.Year, _ = strconv.Atoi(years[i]) // four digits
	}
	if t == (tags{}) {
		return nil
	}
	return &t
}

// clip limits the length of a tag.
func clip(s string) string {
	const most = 500
	return strings.ToValidUTF8(textcut.Clip(s, most), "\ufffd")
}
