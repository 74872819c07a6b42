package mutation

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// change is one wrong change of a function: at a node, the text from one place to another is replaced.
type change struct {
	operator string
	alike    string // what it changes, the same for the same in other rooms
	old, new string
	body     string // statements that do what the changed function does
	at       token.Pos
}

// changes returns the wrong changes of a function that the operators make, in the order of its text.
func (f function) changes() []change {
	if f.isValidation() {
		return nil
	}
	all := f.ofSignature()
	var around []ast.Node
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		switch {
		case n == nil:
			around = around[:len(around)-1]
			return true
		case f.isRefusal(n) || isMessage(n) || f.isBehind(n):
			return false
		}
		around = append(around, n)
		for _, e := range f.edits(n, around) {
			shown := f.shown(around, e)
			all = append(all, change{
				operator: e.operator, alike: e.operator + " " + plain(n) + " " + e.alike,
				old: oneLine(f.of(shown)), new: oneLine(f.with(shown, e.start, e.end, e.text)),
				body: f.closed(f.with(f.decl.Body, e.start, e.end, e.text), ""), at: e.start,
			})
		}
		return true
	})
	return all
}

// shown returns what a name shows of an edit: of a number or a name what is around it, if that is short.
func (f function) shown(around []ast.Node, e edit) ast.Node {
	switch e.node.(type) {
	case *ast.BasicLit, *ast.Ident:
		if parent := around[max(0, len(around)-2)]; len(f.of(parent)) <= 60 {
			return parent
		}
	}
	return e.node
}

// edit is a change of the text within a node.
type edit struct {
	operator   string
	node       ast.Node
	start, end token.Pos
	text       string
	alike      string // which of the edits of a node it is
}

// edits returns what the operators make of a node, which is the last of those around it.
func (f function) edits(n ast.Node, around []ast.Node) []edit {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return f.ofBinary(n)
	case *ast.CallExpr:
		return slices.Concat(f.ofCall(n), f.ofArguments(n))
	case *ast.BasicLit:
		return ofNumber(n, around[max(0, len(around)-2)])
	case *ast.Ident:
		if other := (map[string]string{"true": "false", "false": "true"})[n.Name]; other != "" {
			return []edit{replaced("a constant", n, other)}
		}
	case *ast.UnaryExpr:
		if n.Op == token.SUB || n.Op == token.NOT {
			return []edit{replaced("a sign", n, f.of(n.X))}
		}
	case *ast.RangeStmt:
		return []edit{
			within("a loop's end", n.X, n.X, "("+f.of(n.X)+")[1:]"),
			within("a loop's end", n.X, n.X, "("+f.of(n.X)+") - 1"),
		}
	}
	return f.ofStatement(n)
}

// replaced is a node replaced whole.
func replaced(operator string, n ast.Node, text string) edit {
	return edit{operator, n, n.Pos(), n.End(), text, text}
}

// within is a part of a node replaced.
func within(operator string, n, part ast.Node, text string) edit {
	return edit{operator, n, part.Pos(), part.End(), text, ""}
}

// otherSigns are the operators that take the place of one.
var otherSigns = map[token.Token][]token.Token{
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL},
	token.LSS: {token.LEQ, token.GTR}, token.LEQ: {token.LSS, token.GEQ},
	token.GTR: {token.GEQ, token.LSS}, token.GEQ: {token.GTR, token.LEQ},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
}

func (f function) ofBinary(n *ast.BinaryExpr) (all []edit) {
	if f.isBehind(n.Y) {
		return []edit{without(n, f.of(n.Y), "left")}
	}
	for _, other := range otherSigns[n.Op] {
		operator := "a sign"
		if n.Op.Precedence() == token.EQL.Precedence() {
			operator = "a comparison"
		}
		end := n.OpPos + token.Pos(len(n.Op.String()))
		all = append(all, edit{operator, n, n.OpPos, end, other.String(), other.String()})
	}
	switch n.Op {
	case token.ADD, token.MUL, token.LAND, token.LOR:
		all = append(all, without(n, f.of(n.X), "right"), without(n, f.of(n.Y), "left"))
	case token.SUB, token.QUO:
		all = append(all, without(n, f.of(n.X), "right"))
	}
	return all
}

// without is an expression with one term less.
func without(n ast.Node, text, which string) edit {
	return edit{"a term dropped", n, n.Pos(), n.End(), text, which}
}

// otherNames are the functions that take the place of one.
var otherNames = map[string]string{
	"Add": "Sub", "Sub": "Add", "Mul": "Quo", "Quo": "Mul", "add": "sub", "sub": "add", "mul": "quo", "quo": "mul",
	"plus": "minus", "minus": "plus", "Plus": "Minus", "Minus": "Plus", "times": "over", "over": "times",
	"min": "max", "max": "min", "Min": "Max", "Max": "Min", "larger": "smaller", "smaller": "larger",
}

// nameOf returns the name of what is called, and what stands before it.
func nameOf(n *ast.CallExpr) (before ast.Expr, name *ast.Ident) {
	switch x := n.Fun.(type) {
	case *ast.Ident:
		return nil, x
	case *ast.SelectorExpr:
		return x.X, x.Sel
	}
	return nil, nil
}

func (f function) ofCall(n *ast.CallExpr) (all []edit) {
	before, name := nameOf(n)
	if name == nil {
		return nil
	}
	other := otherNames[name.Name]
	if other != "" {
		all = append(all, edit{"a sign", n, name.Pos(), name.End(), other, other})
	}
	switch {
	case other != "" && len(n.Args) == 2:
		all = append(all, without(n, f.of(n.Args[0]), "right"), without(n, f.of(n.Args[1]), "left"))
	case other != "" && len(n.Args) == 1 && before != nil:
		all = append(all, without(n, f.of(before), "right"), without(n, f.of(n.Args[0]), "left"))
	case other == "" && len(n.Args) == 1 && before != nil && !isPackage(before, "slices", "maps", "rational"):
		all = append(all, edit{"a function dropped", n, n.Pos(), n.End(), f.of(n.Args[0]), ""})
	}
	return all
}

// symmetric are the functions that are the same in another order.
var symmetric = []string{"add", "mul", "plus", "times", "product", "union", "min", "max", "larger", "smaller", "dot"}

// ofArguments exchanges neighbouring arguments of a call.
func (f function) ofArguments(n *ast.CallExpr) (all []edit) {
	_, name := nameOf(n)
	isSymmetric := name != nil && slices.Contains(symmetric, strings.ToLower(name.Name))
	for i := 1; i < len(n.Args) && !isSymmetric; i++ {
		x, y := n.Args[i-1], n.Args[i]
		text := f.of(y) + f.from(x.End(), y.Pos()) + f.of(x)
		if f.of(x) != f.of(y) {
			all = append(all, edit{"arguments exchanged", n, x.Pos(), y.End(), text, strconv.Itoa(i)})
		}
	}
	return all
}

// ofNumber changes a number by 5 %, an integer by one. What x.Sign() and x.Cmp(y) are compared with stays.
func ofNumber(n *ast.BasicLit, parent ast.Node) []edit {
	comparison, isCompared := parent.(*ast.BinaryExpr)
	isCompared = isCompared && comparison.Op.Precedence() == token.EQL.Precedence()
	if isCompared {
		if call, isCall := comparison.X.(*ast.CallExpr); isCall {
			if _, name := nameOf(call); name != nil && (name.Name == "Sign" || name.Name == "Cmp") {
				return nil
			}
		}
	}
	more := replaced("a constant", n, "("+n.Value+" + 1)")
	x, _ := strconv.ParseInt(n.Value, 0, 64)
	switch {
	case n.Kind == token.FLOAT && strings.Trim(n.Value, "0.") != "":
		return []edit{replaced("a constant", n, "(1.05 * "+n.Value+")")}
	case n.Kind != token.INT:
		return nil
	case x >= 100:
		return []edit{replaced("a constant", n, "("+n.Value+" + "+n.Value+"/20)")}
	case x == 0 && isCompared: // with what is seldom negative
		return []edit{more}
	}
	return []edit{more, replaced("a constant", n, "("+n.Value+" - 1)")}
}

// ofStatement leaves out a statement, or a branch.
func (f function) ofStatement(n ast.Node) []edit {
	switch n := n.(type) {
	case *ast.IfStmt:
		always := within("a branch always", n.Cond, n.Cond, "true || ("+f.of(n.Cond)+")")
		return []edit{f.never(n.Cond, "a branch skipped"), always}
	case *ast.ForStmt:
		if n.Cond != nil {
			return []edit{f.never(n.Cond, "a branch skipped")}
		}
	case *ast.SwitchStmt:
		return f.ofCases(n)
	case *ast.ExprStmt:
		if !isMessage(n.X) {
			return []edit{replaced("a statement dropped", n, "")}
		}
	case *ast.IncDecStmt, *ast.BranchStmt:
		return []edit{replaced("a statement dropped", n, "")}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE && !f.isRefused(n.Lhs[0]) {
			return []edit{replaced("a statement dropped", n, "")}
		}
	}
	return nil
}

// never makes a condition false.
func (f function) never(cond ast.Expr, operator string) edit {
	return within(operator, cond, cond, "false && ("+f.of(cond)+")")
}

// ofCases skips each case of a switch.
func (f function) ofCases(n *ast.SwitchStmt) (all []edit) {
	for _, clause := range n.Body.List {
		c := clause.(*ast.CaseClause)
		if f.isRefusal(c) {
			continue
		}
		for _, x := range c.List {
			if n.Tag == nil {
				all = append(all, f.never(x, "a case skipped"))
			}
		}
		if n.Tag != nil && c.List != nil {
			all = append(all, edit{"a case skipped", c, c.Pos(), c.End(), "", f.of(c.List[0])})
		}
	}
	return all
}

// oneLine returns a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
