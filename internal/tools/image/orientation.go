package image

import (
	"encoding/binary"
	"image"
)

// orientation is the rotation of a camera, in Exif numbers: 1 is upright; from 5 on
// width and height are swapped.
type orientation uint16

const (
	upright  orientation = 1
	sideways orientation = 5
	last     orientation = 8
)

// swaps reports whether the orientation swaps width and height.
func (o orientation) swaps() bool { return o >= sideways }

// orientationOf reads the orientation from the Exif part of a JPEG; it returns upright
// if it is missing or invalid.
func orientationOf(data []byte) orientation {
	const soi, marker, app1, sos = 2, 0xff, 0xe1, 0xda
	for at := soi; at+4 <= len(data) && data[at] == marker; {
		kind, length := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		end := at + 2 + length
		if kind == sos || length < 2 || end > len(data) {
			break
		}
		if part := data[at+4 : end]; kind == app1 && len(part) > 6 && string(part[:6]) == "Exif\x00\x00" {
			return orientationTag(part[6:])
		}
		at = end
	}
	return upright
}

// orientationTag finds the tag in the first directory of a TIFF structure.
func orientationTag(tiff []byte) orientation {
	const header, entry, tag, short = 8, 12, 0x0112, 3
	if len(tiff) < header {
		return upright
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	start := uint64(order.Uint32(tiff[4:]))
	if start+2 > uint64(len(tiff)) {
		return upright
	}
	entries := tiff[start+2:]
	for range order.Uint16(tiff[start:]) {
		if len(entries) < entry {
			break
		}
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short {
			if o := orientation(order.Uint16(entries[8:])); upright <= o && o <= last {
				return o
			}
			break
		}
		entries = entries[entry:]
	}
	return upright
}

// turned returns the upright picture.
func turned(pic *image.RGBA, o orientation) *image.RGBA {
	if o <= upright || o > last {
		return pic
	}
	w, h := pic.Rect.Dx(), pic.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if o.swaps() {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			tx, ty := o.place(x, y, w, h)
			copy(out.Pix[out.PixOffset(tx, ty):][:4], pic.Pix[pic.PixOffset(x, y):][:4])
		}
	}
	return out
}

// place returns the upright position of a pixel of a picture of w×h.
func (o orientation) place(x, y, w, h int) (tx, ty int) {
	switch o {
	case 2: // mirrored
		return w - 1 - x, y
	case 3: // upside down
		return w - 1 - x, h - 1 - y
	case 4: // upside down and mirrored
		return x, h - 1 - y
	case 5: // mirrored, then a quarter turn to the left
		return y, x
	case 6: // rotate to the right
		return h - 1 - y, x
	case 7: // mirrored, then a quarter turn to the right
		return h - 1 - y, w - 1 - x
	case 8: // rotate to the left
		return y, w - 1 - x
	default:
		return x, y
	}
}
