package consent

// MaxComment is how many characters a decision's comment may have.
const MaxComment = 1000

// Decision is what a person says to a request, before it has become the one
// verdict.
type Decision struct {
	// Grant is yes. Without it the decision is no.
	Grant bool
	// Remember is how long a yes holds.
	Remember Remember
	// NeverAsk makes a no hold: later calls fail at once, without a question.
	NeverAsk bool
	// Comment is for people, at most [MaxComment] characters.
	Comment string
}
