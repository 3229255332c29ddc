package pdftext

import "github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

// maxAnnotations bounds the annotations of a page that are read.
const maxAnnotations = 10_000

// The flags of an annotation that is not shown (PDF 32000-1, table 165).
const (
	flagHidden = 1 << 1
	flagNoView = 1 << 5
)

// annotations interprets what annotations of a page show: text boxes, and what the fields of
// a form hold.
func (in *interpreter) annotations(p page) {
	list, _ := in.doc.resolve(p.dict["Annots"]).(types.Array)
	for _, item := range list[:min(len(list), maxAnnotations)] {
		dict := in.doc.dict(item)
		if int(in.doc.number(dict["F"]))&(flagHidden|flagNoView) != 0 {
			continue
		}
		shown := in.doc.dict(dict["AP"])["N"]
		if _, stream := in.doc.resolve(shown).(types.StreamDict); !stream { // one for each state of a button
			shown = in.doc.dict(shown)[in.doc.name(dict["AS"])]
		}
		form := in.doc.dict(shown)
		rect, _ := in.doc.resolve(dict["Rect"]).(types.Array)
		if form == nil || len(rect) != 4 {
			continue
		}
		in.state = state{ctm: unit}
		in.state.ctm[4], in.state.ctm[5] = in.doc.number(rect[0]), in.doc.number(rect[1])
		if box, ok := in.doc.resolve(form["BBox"]).(types.Array); ok && len(box) == 4 {
			in.state.ctm[4] -= in.doc.number(box[0])
			in.state.ctm[5] -= in.doc.number(box[1])
		}
		in.draw(shown, form, p.resources, 1)
	}
}
