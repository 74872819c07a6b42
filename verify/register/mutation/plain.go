package mutation

import (
	"go/ast"
	"go/token"
	"math/big"
	"strings"
)

// plainNames are the operators that functions stand for; what converts a number stands for nothing.
var plainNames = map[string]string{
	"add": "+", "plus": "+", "sub": "-", "minus": "-", "mul": "*", "times": "*", "quo": "/", "over": "/",
	"float64": "", "int64": "", "int": "", "rat": "", "float": "", "exactly": "", "number": "", "point": "",
	"exprat": "exp", "logof": "log", "lograt": "log",
}

// plain returns an expression as it is alike in all rooms, whatever it computes with: math.Log(1.25/delta) is
// bits.Log(new(big.Rat).Quo(big.NewRat(5, 4), delta)).
func plain(n ast.Node) string {
	switch n := n.(type) {
	case *ast.ParenExpr:
		return plain(n.X)
	case *ast.BasicLit:
		if x, isNumber := new(big.Rat).SetString(n.Value); isNumber && n.Kind != token.STRING {
			return x.RatString()
		}
		return n.Value
	case *ast.Ident:
		return strings.ToLower(n.Name)
	case *ast.SelectorExpr:
		return strings.ToLower(n.Sel.Name)
	case *ast.IndexExpr:
		return plain(n.X) + "[" + plain(n.Index) + "]"
	case *ast.UnaryExpr:
		return n.Op.String() + plain(n.X)
	case *ast.BinaryExpr:
		return "(" + plain(n.X) + n.Op.String() + plain(n.Y) + ")"
	case *ast.CallExpr:
		return plainCall(n)
	case *ast.IfStmt:
		return "if " + plain(n.Cond)
	case *ast.AssignStmt:
		return plain(n.Lhs[0]) + " = " + plain(n.Rhs[0])
	case *ast.RangeStmt:
		return "range " + plain(n.X)
	}
	return "?"
}

// plainCall is [plain] of a call.
func plainCall(n *ast.CallExpr) string {
	var operands []string
	for _, x := range n.Args {
		operands = append(operands, plain(x))
	}
	before, name := nameOf(n)
	if name == nil {
		return "?"
	}
	called := strings.ToLower(name.Name)
	operator, isPlain := plainNames[called]
	switch {
	case called == "newrat" && len(operands) == 2:
		return plainQuotient(operands[0], operands[1])
	case isPlain && operator == "" && len(operands) == 1:
		return operands[0]
	case isPlain && len(operands) == 2:
		return "(" + operands[0] + operator + operands[1] + ")"
	case isPlain && len(operands) == 1 && before != nil && len(operator) == 1:
		return "(" + plain(before) + operator + operands[0] + ")"
	case isPlain && operator != "":
		called = operator
	}
	return called + "(" + strings.Join(operands, ",") + ")"
}

// plainQuotient returns p/q, as one number if both are.
func plainQuotient(p, q string) string {
	if x, isNumber := new(big.Rat).SetString(p + "/" + q); isNumber {
		return x.RatString()
	}
	return "(" + p + "/" + q + ")"
}
