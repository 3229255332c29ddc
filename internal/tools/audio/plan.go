package audio

import (
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// plan describes the form in which segments are written.
type plan struct {
	format string // the extension of the files
	muxer  string
	codec  []string // the arguments that choose the encoder
	copied bool     // frames are copied without decoding
	exact  bool     // the source can be cut at any sample
}

// lossless lists the codecs that lose nothing when sound is decoded and encoded again,
// so that it can be cut between any two samples.
func lossless(codec string) bool {
	return strings.HasPrefix(codec, "pcm_") || codec == "flac" || codec == "alac"
}

// muxers maps formats to ffmpeg's names of their writers.
var muxers = map[string]string{"mp3": "mp3", "wav": "wav", "ogg": "ogg", "flac": "flac", "m4a": "ipod"}

// natural maps codecs to the format that keeps the sound unchanged. Other codecs become
// MP3.
func natural(codec string) string {
	switch codec {
	case "vorbis", "opus", "speex":
		return "ogg"
	case "flac":
		return "flac"
	case "aac", "alac":
		return "m4a"
	default:
		if strings.HasPrefix(codec, "pcm_") {
			return "wav"
		}
		return "mp3"
	}
}

// planFor returns the plan for a codec and a target format; an empty format means the
// codec's own.
func planFor(codec, format string) plan {
	if format == "" {
		format = natural(codec)
	}
	p := plan{format: format, muxer: muxers[format], exact: lossless(codec)}
	if !p.exact && natural(codec) == format && (format != "mp3" || codec == "mp3") {
		p.copied, p.codec = true, []string{"-c:a", "copy"}
		return p
	}
	switch format {
	case "mp3":
		p.codec = []string{"-c:a", "libmp3lame", "-q:a", "2"}
	case "ogg":
		p.codec = []string{"-c:a", "libvorbis", "-q:a", "5"}
	case "wav":
		p.codec = []string{"-c:a", wavEncoder(codec)}
	default:
		p.codec = []string{"-c:a", codec} // flac or alac, which are encoded as themselves
	}
	return p
}

// wavEncoder returns the encoder that keeps the samples of a WAV file, or the closest
// one for other files.
func wavEncoder(codec string) string {
	same := []string{"pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_alaw", "pcm_mulaw"}
	little := strings.TrimSuffix(codec, "be") + "le"
	switch {
	case slices.Contains(same, codec):
		return codec
	case slices.Contains(same, little):
		return little
	default:
		return "pcm_s16le"
	}
}

// maxWritten limits the estimated bytes that one call writes.
const maxWritten = 4 << 30

// affordable refuses to decode sound that would fill the disk.
func (p plan) affordable(s *sound) error {
	const widest = 8 // bytes per sample
	size := s.seconds * float64(s.sampleRate) * float64(max(s.channels, 1))
	if !strings.HasSuffix(p.codec[1], "16le") {
		size *= widest / 2
	}
	if p.format == "wav" && 2*size > maxWritten {
		return tool.Fail(tool.FileTooLarge, "As WAV the segments would take more than %d GiB; choose format mp3 or ogg.", maxWritten>>30)
	}
	return nil
}
