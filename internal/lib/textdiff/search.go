package textdiff

import "math"

// A bidirectional searches for the middle of a shortest path from the start of a and b
// to their end. At a point (x, y), x units of a and y units of b are consumed; it lies
// on the diagonal x-y. Paths from the start and from the end are extended one change at
// a time, on each diagonal the furthest one, until they meet.
type bidirectional struct {
	a, b          []int32
	ahead, behind []int // x of the furthest points by diagonal, from the start and from the end
	zero          int   // index of diagonal 0
	from, to      band  // diagonals that the paths have reached from the start and from the end
}

// A band is a range of diagonals; every second one is used at a time.
type band struct{ low, high int }

func (b band) has(diagonal int) bool { return b.low <= diagonal && diagonal <= b.high }

// search prepares for a and b, neither of which may be empty or begin or end like the
// other.
func (d *Diff) search(a, b []int32) *bidirectional {
	s := &bidirectional{a: a, b: b, ahead: d.ahead, behind: d.behind, zero: len(b) + 1}
	end := len(a) - len(b)
	s.from, s.to = band{0, 0}, band{end, end}
	s.ahead[s.zero] = 0
	s.behind[s.zero+end] = len(a)
	return s
}

// widen adds one diagonal on either side. At the edge, where there is none, it drops
// the outermost one instead, which is not used in this step. Diagonals outside are set
// to none, which is behind every path.
func (s *bidirectional) widen(b *band, furthest []int, none int) {
	if b.low > -len(s.b) {
		b.low--
		furthest[s.zero+b.low-1] = none
	} else {
		b.low++
	}
	if b.high < len(s.a) {
		b.high++
		furthest[s.zero+b.high+1] = none
	} else {
		b.high--
	}
}

// middle returns the point where the paths meet. Out of patience it returns the point
// that is furthest from its start.
func (s *bidirectional) middle(d *Diff) (x, y int) {
	for changes := 1; ; changes++ {
		if x, y, met := s.forward(); met {
			return x, y
		}
		if x, y, met := s.backward(); met {
			return x, y
		}
		if changes >= d.patience {
			d.Coarse = true
			return s.furthest()
		}
	}
}

// odd reports whether the paths meet in a forward step.
func (s *bidirectional) odd() bool { return (len(s.a)-len(s.b))&1 != 0 }

func (s *bidirectional) forward() (x, y int, met bool) {
	s.widen(&s.from, s.ahead, -1)
	for diagonal := s.from.high; diagonal >= s.from.low; diagonal -= 2 {
		at := s.zero + diagonal
		x := max(s.ahead[at-1]+1, s.ahead[at+1])
		y := x - diagonal
		for x < len(s.a) && y < len(s.b) && s.a[x] == s.b[y] {
			x++
			y++
		}
		s.ahead[at] = x
		if s.odd() && s.to.has(diagonal) && s.behind[at] <= x {
			return x, y, true
		}
	}
	return 0, 0, false
}

func (s *bidirectional) backward() (x, y int, met bool) {
	s.widen(&s.to, s.behind, math.MaxInt)
	for diagonal := s.to.high; diagonal >= s.to.low; diagonal -= 2 {
		at := s.zero + diagonal
		x := min(s.behind[at-1], s.behind[at+1]-1)
		y := x - diagonal
		for x > 0 && y > 0 && s.a[x-1] == s.b[y-1] {
			x--
			y--
		}
		s.behind[at] = x
		if !s.odd() && s.from.has(diagonal) && x <= s.ahead[at] {
			return x, y, true
		}
	}
	return 0, 0, false
}

// furthest returns the reached point with the most units between it and the beginning
// of its path.
func (s *bidirectional) furthest() (x, y int) {
	n, m := len(s.a), len(s.b)
	most := -1
	for diagonal := s.from.high; diagonal >= s.from.low; diagonal -= 2 {
		fx := min(s.ahead[s.zero+diagonal], n, m+diagonal)
		if way := fx + fx - diagonal; way > most {
			most, x, y = way, fx, fx-diagonal
		}
	}
	for diagonal := s.to.high; diagonal >= s.to.low; diagonal -= 2 {
		bx := max(s.behind[s.zero+diagonal], 0, diagonal)
		if way := n + m - bx - (bx - diagonal); way > most {
			most, x, y = way, bx, bx-diagonal
		}
	}
	return x, y
}
