package chronosketch.spark.advisor

import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.internal.SQLConf

import chronosketch.spark.sql.{Conditions, SparkPrivates}

/** The setting of the cost model that predictions come from. */
object AdviceConf {
  val Model = "spark.chronosketch.advice.model"

  private lazy val declared: Unit = SparkPrivates.declareText(
    Model,
    "The path, on the driver, of a cost model that `chronosketch calibrate` wrote. It predicts the costs of structures OVER large frames, " +
      "and those that chronosketch_advise returns if the call names no model. Empty: the model in the jar.",
    "0.1.0"
  )

  /** Declares the setting to Spark. */
  def register(): Unit = declared

  private def path: String = SQLConf.get.getConfString(Model, "")

  // path, modification time and content of the file that was read last
  @volatile private var latest: Option[(String, Long, CostModel)] = None

  /** The cost model of the session, or that of the jar if none is set. A file is read again after it has changed. */
  def model: CostModel = path match {
    case "" => CostModel.shipped
    case file =>
      val changed = new java.io.File(file).lastModified
      latest match {
        case Some((`file`, `changed`, model)) => model
        case _ =>
          val model = Conditions.analysing(Model, CurrentOrigin.get)(CostModel.file(file))
          latest = Some((file, changed, model))
          model
      }
  }
}
