package office

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Document is the text of a document.
type Document struct {
	// Text is Markdown: headings, lists, tables, links and footnotes.
	Text string
	// Cut is set if something was left out for its size.
	Cut bool
}

// maxNotes bounds the footnotes and endnotes of a document.
const maxNotes = 10_000

// Document reads a text document.
func (p *Package) Document() (*Document, error) {
	d := &docx{pkg: p, headings: map[string]int{}, ordered: map[string]bool{}, counts: map[string]int{}}
	const part = "word/document.xml"
	targets, err := p.relations(part)
	if err == nil {
		d.links = targets
		err = d.readStyles()
	}
	if err == nil {
		err = d.readNumbering()
	}
	if err != nil {
		return nil, wholly(err)
	}
	err = p.root(part, func(r *reader, e xml.StartElement) error { return d.block(r, e) })
	for _, notes := range []struct{ part, element, mark string }{
		{"word/footnotes.xml", "footnote", "^"}, {"word/endnotes.xml", "endnote", "^e"},
	} {
		if err == nil {
			err = d.notes(notes.part, notes.element, notes.mark)
		}
	}
	if errors.Is(err, errCut) {
		d.cut, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	return &Document{Text: strings.TrimSpace(d.out.String()), Cut: d.cut}, nil
}

// docx reads a document.
type docx struct {
	pkg      *Package
	links    map[string]string // targets by id
	headings map[string]int    // levels by style
	ordered  map[string]bool   // whether a list has numbers, by number and level of the list
	counts   map[string]int    // number of the last item, by the same

	out    strings.Builder
	inList bool // the block before was an item
	cut    bool
}

// put writes a block after an empty line, and an item of a list after an item without one.
func (d *docx) put(text string, item bool) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if d.out.Len()+len(text) > maxText {
		return errCut
	}
	switch {
	case d.out.Len() == 0:
	case item && d.inList:
		d.out.WriteString("\n")
	default:
		d.out.WriteString("\n\n")
	}
	d.inList = item
	d.out.WriteString(text)
	return nil
}

// readStyles learns which styles are headings.
func (d *docx) readStyles() error {
	bases := map[string]string{}
	err := d.pkg.root("word/styles.xml", func(r *reader, e xml.StartElement) error {
		id, level := attr(e, "styleId"), 0
		var look func(e xml.StartElement) error
		look = func(e xml.StartElement) error {
			value := strings.ToLower(attr(e, "val"))
			switch e.Name.Local {
			case "name":
				if n, ok := strings.CutPrefix(value, "heading "); ok {
					level, _ = strconv.Atoi(n)
				}
				if value == "title" {
					level = 1
				}
			case "basedOn":
				bases[id] = attr(e, "val")
			case "outlineLvl":
				if n, err := strconv.Atoi(value); err == nil && level == 0 && n >= 0 && n < 9 {
					level = n + 1
				}
			}
			return r.Each(look, nil)
		}
		err := r.Each(look, nil)
		if level > 0 && id != "" {
			d.headings[id] = min(level, 6)
		}
		return err
	})
	for id, base := range bases {
		for range 10 { // a style based on itself has no end
			if d.headings[id] == 0 && d.headings[base] > 0 {
				d.headings[id] = d.headings[base]
			}
			base = bases[base]
		}
	}
	return err
}

// listLevel names a level of a list.
func listLevel(list, level string) string { return list + "/" + level }

// readNumbering learns which levels of lists have numbers.
func (d *docx) readNumbering() error {
	abstract := map[string][]string{} // levels with numbers
	return d.pkg.root("word/numbering.xml", func(r *reader, e xml.StartElement) error {
		switch e.Name.Local {
		case "abstractNum":
			id := attr(e, "abstractNumId")
			return r.Each(func(e xml.StartElement) error {
				if e.Name.Local != "lvl" {
					return r.Skip()
				}
				level := attr(e, "ilvl")
				return r.Each(func(e xml.StartElement) error {
					if kind := attr(e, "val"); e.Name.Local == "numFmt" && kind != "bullet" && kind != "none" {
						abstract[id] = append(abstract[id], level)
					}
					return r.Skip()
				}, nil)
			}, nil)
		case "num":
			id := attr(e, "numId")
			return r.Each(func(e xml.StartElement) error {
				if e.Name.Local == "abstractNumId" {
					for _, level := range abstract[attr(e, "val")] {
						d.ordered[listLevel(id, level)] = true
					}
				}
				return r.Skip()
			}, nil)
		}
		return r.Skip()
	})
}

// block reads an element that may hold paragraphs and tables.
func (d *docx) block(r *reader, e xml.StartElement) error {
	switch e.Name.Local {
	case "p":
		p, err := d.paragraph(r)
		return errors.Join(err, d.put(p.markdown(d), p.item))
	case "tbl":
		text, err := d.table(r)
		return errors.Join(err, d.put(text, false))
	case "body", "sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "AlternateContent", "Choice", "txbxContent", "footnote",
		"endnote", "tc":
		return r.Each(func(e xml.StartElement) error { return d.block(r, e) }, nil)
	default:
		return r.Skip()
	}
}

// paragraph is a paragraph as it is read.
type paragraph struct {
	text        []byte
	style       string
	list, level string
	item        bool
	outline     int
	boxes       []string // texts of boxes that are anchored in it
}

// markdown returns the paragraph with the marks of a heading or an item.
func (p *paragraph) markdown(d *docx) string {
	text := strings.TrimSpace(string(p.text))
	level := d.headings[p.style]
	if p.outline > 0 {
		level = p.outline
	}
	switch {
	case text == "":
		p.item = false
	case level > 0:
		p.item = false
		text = strings.Repeat("#", min(level, 6)) + " " + strings.ReplaceAll(text, "\n", " ")
	case p.item:
		text = d.itemOf(p, text)
	}
	for _, box := range p.boxes {
		text += "\n\n" + box
	}
	return strings.TrimPrefix(text, "\n\n")
}

// itemOf returns an item with its bullet or number, below that of the level above.
func (d *docx) itemOf(p *paragraph, text string) string {
	const widest = 4 // spaces of a level that any marker leaves
	depth, _ := strconv.Atoi(p.level)
	depth = max(0, min(depth, 8))
	at, marker := listLevel(p.list, p.level), "- "
	if d.ordered[at] {
		d.counts[at]++
		marker = fmt.Sprintf("%d. ", d.counts[at])
	}
	for below := depth + 1; below <= 8; below++ {
		delete(d.counts, listLevel(p.list, strconv.Itoa(below)))
	}
	indent := strings.Repeat(" ", widest*depth)
	return indent + marker + strings.ReplaceAll(text, "\n", "\n"+indent+strings.Repeat(" ", len(marker)))
}

func (d *docx) paragraph(r *reader) (*paragraph, error) {
	p := &paragraph{}
	return p, d.runs(r, p)
}

// runs reads what a paragraph holds.
func (d *docx) runs(r *reader, p *paragraph) error {
	return r.Each(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "pPr":
			return d.properties(r, p)
		case "t":
			text, err := plainText(r)
			p.text = append(p.text, text...)
			if len(p.text) > maxText {
				return errCut
			}
			return err
		case "tab":
			p.text = append(p.text, '\t')
		case "br", "cr":
			p.text = append(p.text, '\n')
		case "noBreakHyphen":
			p.text = append(p.text, '-')
		case "footnoteReference":
			p.text = append(p.text, "[^"+attr(e, "id")+"]"...)
		case "endnoteReference":
			p.text = append(p.text, "[^e"+attr(e, "id")+"]"...)
		case "hyperlink":
			return d.link(r, e, p)
		case "txbxContent":
			inner := &docx{pkg: d.pkg, links: d.links, headings: d.headings, ordered: d.ordered, counts: d.counts}
			err := r.Each(func(e xml.StartElement) error { return inner.block(r, e) }, nil)
			p.boxes = append(p.boxes, inner.out.String())
			return err
		case "docPr":
			if text := attr(e, "descr"); text != "" {
				p.text = append(p.text, "[picture: "+text+"]"...)
			}
		case "rPr", "Fallback", "del", "moveFrom", "delText", "instrText":
			return r.Skip()
		}
		return d.runs(r, p)
	}, nil)
}

// link reads a link: its text in brackets, and where it leads.
func (d *docx) link(r *reader, e xml.StartElement, p *paragraph) error {
	before := len(p.text)
	p.text = append(p.text, '[')
	err := d.runs(r, p)
	text, target := string(p.text[before+1:]), d.links[attr(e, "id")]
	if strings.TrimSpace(text) == "" || !strings.Contains(target, ":") || text == target {
		p.text = append(p.text[:before], text...) // it leads nowhere else
		return err
	}
	p.text = append(p.text, "]("+target+")"...)
	return err
}

// properties reads the properties of a paragraph.
func (d *docx) properties(r *reader, p *paragraph) error {
	return r.Each(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "pStyle":
			p.style = attr(e, "val")
		case "outlineLvl":
			if n, err := strconv.Atoi(attr(e, "val")); err == nil && n >= 0 && n < 9 {
				p.outline = n + 1
			}
		case "numPr":
			return r.Each(func(e xml.StartElement) error {
				switch e.Name.Local {
				case "ilvl":
					p.level = attr(e, "val")
				case "numId":
					p.list = attr(e, "val")
					p.item = p.list != "0" // which takes it out of a list
				}
				return r.Skip()
			}, nil)
		}
		return r.Skip()
	}, nil)
}

// table reads a table; its first row is the head of the Markdown table.
func (d *docx) table(r *reader) (string, error) {
	var rows [][]string
	size, widest := 0, 0
	var walk func(e xml.StartElement) error
	walk = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "tr":
			rows = append(rows, nil)
			return r.Each(walk, nil)
		case "tc":
			inner := &docx{pkg: d.pkg, links: d.links, headings: d.headings, ordered: d.ordered, counts: d.counts}
			span := 1
			err := r.Each(func(e xml.StartElement) error {
				if e.Name.Local == "tcPr" {
					return r.Each(func(e xml.StartElement) error {
						if n, err := strconv.Atoi(attr(e, "val")); err == nil && e.Name.Local == "gridSpan" {
							span = max(1, min(n, 64))
						}
						return r.Skip()
					}, nil)
				}
				return inner.block(r, e)
			}, nil)
			text := cellText.Replace(strings.Join(strings.Fields(inner.out.String()), " "))
			if size += len(text) + span; size > maxText {
				return errCut
			}
			if n := len(rows); n > 0 {
				rows[n-1] = append(append(rows[n-1], text), make([]string, span-1)...)
				widest = max(widest, len(rows[n-1]))
			}
			return err
		case "sdt", "sdtContent", "customXml", "ins", "AlternateContent", "Choice":
			return r.Each(walk, nil)
		default:
			return r.Skip()
		}
	}
	err := r.Each(walk, nil)
	var w strings.Builder
	for i, cells := range rows {
		if len(cells) == 0 {
			continue
		}
		if w.Len() > 0 {
			w.WriteByte('\n')
		}
		w.WriteString("| " + strings.Join(cells, " | ") + " |")
		if i == 0 {
			w.WriteString("\n|" + strings.Repeat(" --- |", widest))
		}
	}
	return w.String(), err
}

// notes writes the footnotes or endnotes.
func (d *docx) notes(part, element, mark string) error {
	count := 0
	return d.pkg.root(part, func(r *reader, e xml.StartElement) error {
		if kind := attr(e, "type"); e.Name.Local != element || kind != "" && kind != "normal" {
			return r.Skip()
		}
		if count++; count > maxNotes {
			return errCut
		}
		inner := &docx{pkg: d.pkg, links: d.links, headings: d.headings, ordered: d.ordered, counts: d.counts}
		err := inner.block(r, e)
		text := strings.Join(strings.Fields(inner.out.String()), " ")
		return errors.Join(err, d.put("["+mark+attr(e, "id")+"]: "+text, true))
	})
}
