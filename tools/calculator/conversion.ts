import { ToolError } from '../tool.ts'
import type { Arithmetic } from './arithmetic.ts'
import type { BinaryOperator, Expression } from './expression.ts'
import { convert, type Quantity, unitText, withUnits } from './quantity.ts'
import { ANGLE } from './unit-table.ts'
import { findUnit } from './units.ts'

/**
 * `value to target`. A bare number can become an angle, taken as radians, or a percentage.
 * @throws {ToolError} when the target is not a unit, or measures something else
 */
export function convertTo(
  value: Quantity,
  target: Expression,
  unit: Quantity,
  arithmetic: Arithmetic,
  notes: Set<string>,
): Quantity {
  if (!isUnits(target))
    throw new ToolError(
      'A conversion needs a unit after "to", without a number: "5 km to miles", "100 km/h to mph".',
    )
  const angle = unit.units.length === 1 && String(unit.units[0]?.unit.dimensions) === String(ANGLE)
  if (value.units.length > 0 || !angle) {
    if (value.units.length === 0 && unitText(unit.units) !== 'percent')
      throw new ToolError(
        `The value to convert has no unit. Give it one, as in "5 km to miles" or "5 ${unitText(unit.units)}".`,
      )
    return convert(arithmetic, value, unit.units)
  }
  notes.add('The number without a unit was taken as radians.')
  return convert(arithmetic, withUnits(value, [{ unit: findUnit('rad')!, power: 1 }]), unit.units)
}

/** Units alone, as after "to": `km/h`, `m^2`. */
function isUnits(expression: Expression): boolean {
  if (expression.kind === 'unit') return true
  if (expression.kind === 'group') return isUnits(expression.inner)
  if (expression.kind !== 'binary') return false
  if (expression.operator === '^') return isUnits(expression.left)
  const product: BinaryOperator[] = ['*', '/']
  return product.includes(expression.operator) && isUnits(expression.left) && isUnits(expression.right)
}
