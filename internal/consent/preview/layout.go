package preview

import "slices"

// reserve is the room in bytes for brackets and for the count of the arguments that are
// left out.
const reserve = 80

// argument is one member of the arguments in its shown form.
type argument struct {
	line, json []byte
	cut        bool
}

func (a argument) size() int { return max(len(a.line), len(a.json)+1) }

// layOut writes the arguments so that all of them fit. Every argument gets its least form;
// the remaining room is shared so that the small ones are shown in full and the large ones
// get equal parts.
func layOut(top node, room int) (arguments []byte, text string, cut bool) {
	if top.size == 0 {
		return []byte("{}"), "(no arguments)\n", false
	}
	shown, wants := measure(top.kids, room)
	left := room - reserve
	for i := range shown {
		left -= shown[i].size()
	}
	// The smallest one chooses first.
	order := make([]int, len(shown))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return wants[a] - wants[b] })
	for n, i := range order {
		least := shown[i].size()
		shown[i] = fit(&top.kids[i], least+max(left, 0)/(len(order)-n))
		left -= shown[i].size() - least
	}
	var lines []byte
	arguments = append(arguments, '{')
	for i, a := range shown {
		if i > 0 {
			arguments = append(arguments, ',')
		}
		arguments, lines, cut = append(arguments, a.json...), append(lines, a.line...), cut || a.cut
	}
	if missing := top.size - len(shown); missing > 0 {
		arguments = append(arguments, `,"…":"`+more(missing, "argument")+`"`...)
		lines, cut = append(lines, "… "+more(missing, "argument")+" …\n"...), true
	}
	return append(arguments, '}'), string(lines), cut
}

// measure returns as many arguments as fit in their least form, and the room each needs to
// be complete.
func measure(kids []node, room int) (least []argument, wants []int) {
	left := room - reserve
	for i := range kids {
		a := write(&kids[i], details[len(details)-1], 0)
		if left -= a.size(); left < 0 {
			break
		}
		full := fit(&kids[i], room)
		want := full.size()
		if full.cut {
			want = room
		}
		least, wants = append(least, a), append(wants, want)
	}
	return least, wants
}
