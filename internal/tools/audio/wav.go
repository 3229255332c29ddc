package audio

import (
	"encoding/binary"
	"errors"
	"io"
	"strconv"
)

var errNotWAV = errors.New("not a WAV file")

// readWAV describes a WAV file by its header, for workers without ffprobe. size is the
// size of the whole file.
func readWAV(r io.Reader, size int64) (*sound, error) {
	const riff, chunkHead, format = 12, 8, 16
	head := make([]byte, riff)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:4]) != "RIFF" || string(head[8:]) != "WAVE" {
		return nil, errNotWAV
	}
	s := &sound{container: "wav"}
	var perSecond int64
	for at := int64(riff); ; {
		chunk := make([]byte, chunkHead)
		if _, err := io.ReadFull(r, chunk); err != nil {
			return nil, errNotWAV // it contains no sound
		}
		at += chunkHead
		length := int64(binary.LittleEndian.Uint32(chunk[4:]))
		switch string(chunk[:4]) {
		case "fmt ":
			body := make([]byte, format)
			if _, err := io.ReadFull(r, body); err != nil || length < format {
				return nil, errNotWAV
			}
			perSecond = int64(binary.LittleEndian.Uint32(body[8:]))
			s.channels = int(binary.LittleEndian.Uint16(body[2:]))
			s.sampleRate = int(binary.LittleEndian.Uint32(body[4:]))
			s.bitrate = int(8 * perSecond)
			s.codec = wavCodec(binary.LittleEndian.Uint16(body), binary.LittleEndian.Uint16(body[14:]))
			at, length = at+format, length-format
		case "data":
			if perSecond == 0 {
				return nil, errNotWAV
			}
			// A recorder that was interrupted writes no length here, or a wrong one.
			s.seconds = float64(min(length, max(size-at, 0))) / float64(perSecond)
			return s, nil
		}
		length += length & 1 // chunks start at even offsets
		if _, err := io.CopyN(io.Discard, r, length); err != nil {
			return nil, errNotWAV
		}
		at += length
	}
}

// wavCodec names the codec of a WAV file as ffmpeg would.
func wavCodec(tag, bits uint16) string {
	const pcm, float, alaw, mulaw, extensible = 1, 3, 6, 7, 0xfffe
	switch tag {
	case pcm, extensible:
		if bits == 8 {
			return "pcm_u8"
		}
		return "pcm_s" + strconv.Itoa(int(bits)) + "le"
	case float:
		return "pcm_f" + strconv.Itoa(int(bits)) + "le"
	case alaw:
		return "pcm_alaw"
	case mulaw:
		return "pcm_mulaw"
	default:
		return ""
	}
}
