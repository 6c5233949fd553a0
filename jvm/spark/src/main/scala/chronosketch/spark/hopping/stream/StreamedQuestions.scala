package chronosketch.spark.hopping.stream

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, TransformWithState}

import chronosketch.spark.sketch.Ask

/** Moves questions about a stream's windows to the operator that merges them. There they read the summary in memory. A summary that nothing
  * else reads is not encoded.
  */
private[spark] object StreamedQuestions {

  /** Moves the questions of a projection to the windows. Returns it unchanged if the windows aren't ours or have no questions. */
  def pushed(columns: Project, windows: TransformWithState): LogicalPlan = {
    def reads =
      columns.projectList.flatMap(readsOf(_, windows.outputObjAttr)).foldLeft(Seq.empty[Expression]) {
        (distinct, read) => if (distinct.exists(_.semanticEquals(read))) distinct else distinct :+ read
      }
    StreamedWindows.processorOf(windows).map(ours => (ours.spec, reads)) match {
      case Some((spec, reads))
          if reads.exists(_.isInstanceOf[Ask]) && !reads.exists(_.isInstanceOf[Attribute]) =>
        moved(columns, windows, spec, reads)
      case _ => columns
    }
  }

  /** What an expression reads from a window's row: questions about its fields, other fields, or the row itself. */
  private def readsOf(e: Expression, row: Attribute): Seq[Expression] = e match {
    case Ask(question, GetStructField(a: Attribute, _, _) +: rest, _)
        if question.readsSummary && a.exprId == row.exprId && rest.forall(_.foldable) => Seq(e)
    case GetStructField(a: Attribute, _, _) if a.exprId == row.exprId => Seq(e)
    case a: Attribute if a.exprId == row.exprId => Seq(e)
    case other => other.children.flatMap(readsOf(_, row))
  }

  private def moved(
      columns: Project,
      windows: TransformWithState,
      spec: PanesSpec,
      reads: Seq[Expression]
  ): LogicalPlan = {
    def answer(field: Expression): Expression = field match {
      case GetStructField(_, i, _) => spec.answers(i) match {
          case Alias(made, _) => made
          case column => column
        }
      case other => other
    }
    val answers = reads.zipWithIndex.map {
      case (ask @ Ask(_, field +: rest, _), i) =>
        Alias(ask.copy(arguments = answer(field) +: rest), s"answer_$i")()
      case (field, i) => Alias(answer(field), s"answer_$i")()
    }
    val answering = StreamedWindows.answering(windows, spec.copy(answers = answers))
    def reread(e: Expression): Expression = {
      val i = reads.indexWhere(_.semanticEquals(e))
      if (i >= 0) GetStructField(answering.outputObjAttr, i) else e.mapChildren(reread)
    }
    Project(columns.projectList.map(reread(_).asInstanceOf[NamedExpression]), answering)
  }
}
