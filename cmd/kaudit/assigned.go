package main

import (
	"slices"

	"github.com/itchyny/gojq"
)

// assigned finds an assignment where a condition is meant, as in
// select(.verb = "get"): its value is an object, which counts as true, so the
// condition would always hold. It returns nil if there is none. condition says
// whether q itself stands where jq wants a condition.
func assigned(q *gojq.Query, condition bool) *gojq.Query {
	if q == nil {
		return nil
	}
	switch q.Op {
	case gojq.OpAssign:
		if condition {
			return q
		}
		return nil
	case gojq.OpAnd, gojq.OpOr:
		return firstOf(assigned(q.Left, true), assigned(q.Right, true))
	case gojq.OpPipe:
		return firstOf(assigned(q.Left, calls(q.Right, "not")), assigned(q.Right, condition))
	case gojq.OpComma:
		return firstOf(assigned(q.Left, condition), assigned(q.Right, condition))
	}
	if q.Term == nil {
		return nil
	}
	condition = condition && len(q.Term.SuffixList) == 0
	switch t := q.Term; {
	case t.Query != nil:
		return assigned(t.Query, condition)
	case t.Array != nil:
		return assigned(t.Array.Query, false)
	case t.Func != nil:
		asks := slices.Contains([]string{"select", "any", "all"}, t.Func.Name)
		for i, arg := range t.Func.Args {
			if found := assigned(arg, asks && i == len(t.Func.Args)-1); found != nil {
				return found
			}
		}
	case t.If != nil:
		return assigned(t.If.Cond, true)
	}
	return nil
}

func firstOf(a, b *gojq.Query) *gojq.Query {
	if a != nil {
		return a
	}
	return b
}

// calls reports whether q begins with a call of the function of this name.
func calls(q *gojq.Query, name string) bool {
	return q != nil && q.Term != nil && q.Term.Func != nil && q.Term.Func.Name == name
}
